import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { openProcessFigures } from './process-figures.ts';
import { figuresOf } from './worker-figures.ts';

const spawnBusy = () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });

it('reads the memory and the processor time of a process, again and again', async () => {
  const child = spawnBusy();
  const figures = openProcessFigures(child.pid ?? 0);
  await expect.poll(() => figures?.processorMs(), { timeout: 60_000 }).toBeGreaterThan(100);
  expect(figures?.residentBytes()).toBeGreaterThan(1_000_000);
  const before = figures?.processorMs() ?? 0;
  await expect.poll(() => figures?.processorMs(), { timeout: 60_000 }).toBeGreaterThan(before);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect([figures?.residentBytes(), figures?.processorMs()]).toEqual([0, 0]);
  expect(openProcessFigures(child.pid ?? 0)).toBeUndefined();
  figures?.close();
});

it('knows the most memory that a process has held, also when it has given it back', async () => {
  const script =
    'let held = Buffer.alloc(200e6, 1); held = null; gc(); console.log("given back"); setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['--expose-gc', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const figures = openProcessFigures(child.pid ?? 0);
  expect(figures?.peakBytes()).toBeGreaterThan(200e6);
  await expect.poll(() => figures?.residentBytes(), { timeout: 60_000 }).toBeLessThan(200e6);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(figures?.peakBytes()).toBe(0);
  figures?.close();
});

it('reads nothing once they are closed', () => {
  const figures = openProcessFigures(process.pid);
  expect(figures?.residentBytes()).toBeGreaterThan(0);
  figures?.close();
  figures?.close();
  expect([figures?.residentBytes(), figures?.processorMs()]).toEqual([0, 0]);
});

it('opens the figures of a worker once, and those of the process that it becomes', async () => {
  const [child, inside] = [spawnBusy(), spawnBusy()];
  const first = figuresOf(child, child.pid ?? 0);
  expect(figuresOf(child, child.pid ?? 0)).toBe(first);
  const second = figuresOf(child, inside.pid ?? 0);
  expect(second.residentBytes()).toBeGreaterThan(0);
  expect(first.residentBytes()).toBe(0);
  for (const each of [child, inside]) {
    each.kill('SIGKILL');
    await once(each, 'exit');
  }
  expect(second.residentBytes()).toBe(0);
  expect(figuresOf(child, child.pid ?? 0).residentBytes()).toBe(0);
});
