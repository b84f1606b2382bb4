import { expect, it } from 'vitest';
import { asDatabaseFault } from './database-fault.ts';

it.each([
  ['53100', /disk is full/],
  ['53300', /does not answer/],
  ['40001', /busy with the same rows/],
  ['25006', /read-only/],
] as const)('an error %s of the database says what to do: %s [DL-41]', (code, message) => {
  const cause = Object.assign(new Error('no space left on device: /data/base/5/1259'), { code });
  const fault = asDatabaseFault(cause);
  expect(fault).toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true, cause });
  expect((fault as Error).message).toMatch(message);
});

it('an error of the statement itself is passed on', () => {
  const error = Object.assign(new Error('no'), { code: '23505' });
  expect(asDatabaseFault(error)).toBe(error);
});
