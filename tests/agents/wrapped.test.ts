import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { it } from 'vitest';
import { driveWrapped } from './src/drive-program.ts';
import { wrappedKey } from './src/list-test-files.ts';

if (await whereSandboxed()) await driveWrapped(wrappedKey);
else it.skip(`${wrappedKey} is resumed in a wrapper (bubblewrap has to work)`);
