import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isRunning, readNiceValues } from '../__fixtures__/processes.ts';
import { defaultMediaPoolOptions } from './media-pool-options.ts';
import { isAlive, killWorker, spawnWorker } from './spawn-worker.ts';

const fixture = (path: string) => fileURLToPath(new URL(path, import.meta.url));

it('does not outlive a parent that was killed, not even while it spins', async () => {
  const parent = spawn(process.execPath, [fixture('../__fixtures__/parent.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(parent.stdout, 'data');
  expect(isRunning(String(pid))).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => isRunning(String(pid))).toBe(false);
});

it('gives a worker nothing of its own environment, and kills it with its group', async () => {
  const worker = spawnWorker({ ...defaultMediaPoolOptions, workerPath: fixture('../worker/__fixtures__/stuck.ts') });
  await once(worker, 'message');
  const names = readFileSync(`/proc/${worker.pid}/environ`, 'latin1')
    .split('\0')
    .map((entry) => entry.split('=', 1)[0]);
  expect(names.filter((name) => name && !name.startsWith('NODE_CHANNEL_')).sort()).toEqual([
    'LANG',
    'MALLOC_ARENA_MAX',
    'PWD',
    'UV_THREADPOOL_SIZE',
    'VIPS_DISC_THRESHOLD',
  ]);
  // A process that waits for the worker has priority over the worker, over all of its threads.
  expect(readdirSync(`/proc/${worker.pid}/task`).length).toBeGreaterThan(1);
  expect(readNiceValues(worker.pid ?? 0)).toEqual(new Set([10]));
  const ended = once(worker, 'exit');
  killWorker(worker);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(isAlive(worker)).toBe(false);
});
