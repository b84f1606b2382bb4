import fc from 'fast-check';
import { expect, it } from 'vitest';
import { resolveRange } from './resolve-range.ts';

it('never names a byte that is not there [AT-05]', () => {
  const number = fc.oneof(fc.integer({ min: -3, max: 30 }), fc.double(), fc.maxSafeInteger());
  fc.assert(
    fc.property(number, number, fc.nat(20), (start, end, sizeBytes) => {
      const isThere = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start < sizeBytes;
      if (isThere && end >= start) {
        const resolved = resolveRange({ start, end }, sizeBytes);
        expect(resolved).toEqual({ start, end: Math.min(end, sizeBytes - 1) });
      } else {
        expect(() => resolveRange({ start, end }, sizeBytes)).toThrow('The range has no byte of this blob');
      }
    }),
  );
});
