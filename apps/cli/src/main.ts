#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { setHeapFlags } from './process/set-heap-flags.ts';

setHeapFlags();

// Most of a start is the compiling of packages that have not changed since the last one.
enableCompileCache();
const { runCli } = await import('./cli.ts');

// A reader that has seen enough, such as `head`, is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv);
