import { expect, it } from 'vitest';
import { createSpending } from './spending.ts';

it('says of each tenant whether it has used a minute of processor time within a minute [BX-27]', () => {
  let nowMs = 0;
  const spending = createSpending(() => nowMs);
  spending.charge('one', 40_000);
  spending.charge('two', 0);
  nowMs = 30_000;
  spending.charge('one', 20_000);
  spending.charge('two', 59_990);
  expect([spending.isOver('one'), spending.isOver('two'), spending.isOver('three')]).toEqual([true, false, false]);
  nowMs = 59_999;
  expect(spending.isOver('one')).toBe(true);
  nowMs = 60_000;
  expect(spending.isOver('one')).toBe(false);
  spending.charge('one', 40_000);
  expect(spending.isOver('one')).toBe(true);
  nowMs = 90_000;
  expect([spending.isOver('one'), spending.isOver('two')]).toEqual([false, false]);
});
