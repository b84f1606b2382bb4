import { expect, it } from 'vitest';
import { runInTime } from './run-in-time.ts';

const never = new Promise<void>(() => {});

it('runs one step after the other', async () => {
  const done: string[] = [];
  const step = (name: string) => async () => void done.push(name);
  await runInTime(
    [
      ['a', step('a')],
      ['b', step('b')],
    ],
    10_000,
    (name) => new Error(name),
  );
  expect(done).toEqual(['a', 'b']);
});

it('says which step does not end', async () => {
  const steps = [
    ['a', async () => undefined],
    ['b', () => never],
    ['c', async () => undefined],
  ] as const;
  await expect(runInTime(steps, 20, (name) => new Error(`stuck at ${name}`))).rejects.toThrow('stuck at b');
});
