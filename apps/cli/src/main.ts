#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// Without a bound from the command line, the young generation keeps its first size. If it grew freely, tens of megabytes of buffers of a
// large upload would pile up before they are collected, and each new one would be cold memory.
if (!process.execArgv.some((flag) => flag.startsWith('--max-semi-space-size')))
  setFlagsFromString('--semi-space-growth-factor=1');

// Most of a start is the compiling of packages that have not changed since the last one.
enableCompileCache();
const { runCli } = await import('./cli.ts');

// A reader that has seen enough, such as `head`, is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv);
