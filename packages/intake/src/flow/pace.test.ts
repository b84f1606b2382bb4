import { expect, it } from 'vitest';
import { createPace } from './pace.ts';

it('lets each holder read as much in a second as it may, and no holder waits for another [BX-27]', () => {
  let nowMs = 0;
  const pace = createPace({ perSecond: 1_000, now: () => nowMs });
  const read = (holder: string) => {
    const waitMs = pace(holder, 100);
    nowMs += waitMs;
    return waitMs;
  };
  for (let count = 0; count < 50; count += 1) read('a');
  expect(nowMs).toBe(5_000);
  expect(pace('b', 10)).toBe(0);
  expect(pace('b', 990)).toBe(1_000);
  nowMs += 10_000;
  expect(pace('a', 10)).toBe(0);
});

it('counts nothing for one that would wait too long, so that it is no worse off for asking', () => {
  let nowMs = 0;
  const pace = createPace({ perSecond: 1, atOnce: 2, maxWaitMs: 3_000, now: () => nowMs });
  const ask = () => pace('a', 1);
  expect(Array.from({ length: 5 }, ask)).toEqual([0, 0, 1_000, 2_000, 3_000]);
  expect(Array.from({ length: 100 }, ask).every((waitMs) => waitMs === Number.POSITIVE_INFINITY)).toBe(true);
  nowMs += 1_000;
  expect(ask()).toBe(3_000);
});

it('lets one that has rested read some at once', () => {
  let nowMs = 0;
  const pace = createPace({ perSecond: 1_000, atOnce: 5_000, now: () => nowMs });
  expect([pace('a', 5_000), pace('a', 1_000)]).toEqual([0, 1_000]);
  nowMs += 6_000;
  expect([pace('a', 5_000), pace('a', 1_000)]).toEqual([0, 1_000]);
});
