import { expect, it } from 'vitest';
import { readRetryAfter } from './retry-after.ts';

const now = Date.parse('2026-03-02T10:00:00Z');

it.each([
  ['1', 1_000],
  [' 30 ', 30_000],
  ['0.5', 500],
  ['Mon, 02 Mar 2026 10:00:05 GMT', 5_000],
  // At most ten minutes, whatever a provider says.
  ['3600', 600_000],
  ['1e9', undefined],
  [`${'9'.repeat(400)}`, 600_000],
  ['Fri, 02 Mar 9999 10:00:05 GMT', 600_000],
  ['Mon, 02 Mar 2026 09:59:59 GMT', undefined],
  ['0', undefined],
  ['-5', undefined],
  ['soon', undefined],
  ['GMT', undefined],
  ['NaN', undefined],
  [undefined, undefined],
])('%s is a wait of %s ms', (said, waitMs) => {
  expect(readRetryAfter({ headers: said === undefined ? {} : { 'retry-after': said } }, now)).toBe(waitMs);
});
