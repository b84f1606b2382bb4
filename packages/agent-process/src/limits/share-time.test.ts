import { expect, it } from 'vitest';
import { shareTime } from './share-time.ts';

it('runs parts one at a time, each followed by a rest four times as long, and goes on after one that fails [BX-22]', async () => {
  let timeMs = 0;
  let running = 0;
  const said: unknown[] = [];
  const runPart = shareTime(
    async (restMs) => {
      said.push(`rest ${restMs}`);
    },
    () => timeMs,
  );
  const take = (name: string, tookMs: number) => async () => {
    running += 1;
    expect(running).toBe(1);
    await Promise.resolve();
    timeMs += tookMs;
    said.push(name);
    running -= 1;
    if (name === 'b') throw new Error('b');
    return name;
  };
  const parts = [runPart(take('a', 10)), runPart(take('b', 3)), runPart(take('c', 5))];
  expect((await Promise.allSettled(parts)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await runPart(async () => undefined);
  expect(said.slice(0, 6)).toEqual(['a', 'rest 40', 'b', 'rest 12', 'c', 'rest 20']);
});
