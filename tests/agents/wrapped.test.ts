import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { it } from 'vitest';
import { driveWrapped } from './src/drive-program.ts';

// One program for all: what a wrapper changes is the place of its process, and not what the program keeps.
if (await whereSandboxed()) await driveWrapped('claude');
else it.skip('claude is resumed in a wrapper (bubblewrap has to work)');
