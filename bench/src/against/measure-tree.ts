import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Stack } from '../report/result.ts';
import type { Measured } from './pair-rows.ts';

export type Turn = { stack: Stack; measurement: string; isQuick: boolean; signal: AbortSignal };

/**
 * Runs one measurement with the bench of a tree, in a process of its own, and answers what it kept. It only uses options that every commit with a bench
 * has. Empty if it came to no end, or has no such measurement.
 */
export async function measureTree(folder: string, turn: Turn): Promise<Measured> {
  const kept = join(folder, 'bench/results');
  const before = new Set(await readdir(kept));
  await runBench(folder, turn);
  const [added] = (await readdir(kept)).filter((name) => !before.has(name));
  if (added === undefined) return {};
  const path = join(kept, added);
  const { results } = JSON.parse(await readFile(path, 'utf8')) as { results: Measured };
  // Half of a comparison is no run to keep.
  await rm(path);
  return results;
}

async function runBench(folder: string, { stack, measurement, isQuick, signal }: Turn): Promise<void> {
  const bin = join(folder, 'node_modules/.bin');
  const own = join(folder, `node_modules/node-linux-${process.arch}/bin/node`);
  const args = ['bench/main.ts', `--${stack}`, '--only', measurement, ...(isQuick ? ['--quick'] : [])];
  const child = spawn(existsSync(own) ? own : process.execPath, args, {
    cwd: folder,
    // It stops what it started, and says on its own what it does.
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` },
  });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  await once(child, 'exit');
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
}
