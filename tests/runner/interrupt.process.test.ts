import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isRunning, listDescendants } from '@attache/infra/native/processes/process-table';
import { afterEach, expect, it } from 'vitest';

const program = fileURLToPath(new URL('__fixtures__/interrupted-run.ts', import.meta.url));

let run: ChildProcess | undefined;
afterEach(() => run?.kill('SIGKILL'));

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a run that %s ends has ended everything that it started, and says so', async (signal, exitCode) => {
  run = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (run.stdout === null || run.pid === undefined) throw new Error('the run was not started');
  const exited = once(run, 'exit');
  await once(run.stdout, 'data');
  const started = await listDescendants(run.pid);
  // Two shells, the session of the second one with its program, and what the first one sleeps by.
  expect(started.length).toBeGreaterThanOrEqual(4);
  run.kill(signal);
  expect(await exited).toEqual([exitCode, null]);
  const living = await Promise.all(started.map(isRunning));
  expect(living.filter(Boolean)).toEqual([]);
});
