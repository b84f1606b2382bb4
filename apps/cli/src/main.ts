#!/usr/bin/env node
import { runCli } from './cli.ts';

// A reader that has seen enough, such as `head`, is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv);
