import { expect, it } from 'vitest';
import { refuseBeyondTokens } from './refuse-beyond-tokens.ts';

const used = { day: '2026-03-02', tokensPerDay: 10, usedTokens: 10 };

it('says when the next day in UTC begins, and never that it has begun', () => {
  const wait = (time: string) => {
    try {
      refuseBeyondTokens(used, Date.parse(time));
    } catch (fault) {
      return (fault as { details: { retryAfterSeconds: number } }).details.retryAfterSeconds;
    }
  };
  expect(wait('2026-03-02T00:00:00Z')).toBe(86_400);
  expect(wait('2026-03-02T23:59:58.500Z')).toBe(2);
  // A clock that is ahead of the database's.
  expect(wait('2026-03-03T00:00:01Z')).toBe(1);
  expect(() => refuseBeyondTokens({ ...used, usedTokens: 9 })).not.toThrow();
  expect(() => refuseBeyondTokens({ ...used, tokensPerDay: null })).not.toThrow();
});
