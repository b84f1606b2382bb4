import { expect, it } from 'vitest';
import { createShares } from './shares.ts';

it('are given up to the limit of a holder and of all, and are free again once they are given back [BX-27]', () => {
  const shares = createShares({ own: 10, all: 25 });
  const first = shares.take('a', 10);
  expect(shares.take('a', 1)).toBe('own');
  expect(shares.take('b', 10)).toBeTypeOf('function');
  expect(shares.take('c', 6)).toBe('all');
  expect(shares.take('c', 5)).toBeTypeOf('function');
  if (typeof first !== 'function') throw new Error('the first share was refused');
  first();
  first();
  expect(shares.take('a', 10)).toBeTypeOf('function');
  expect(shares.take('d', 1)).toBe('all');
});
