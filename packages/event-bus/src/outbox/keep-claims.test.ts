import type { ClaimedMessage } from '@attache/database';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepClaims } from './keep-claims.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const claimedAs = (id: string): ClaimedMessage => ({
  ...{ tenantId: 't', id, subject: 'attachment.added', data: {}, trace: null, attempt: 1 },
});

it('extends what is in work, until its lease is over or it is settled [W8]', async () => {
  const extended: string[][] = [];
  const claims = keepClaims<ClaimedMessage>({
    ...{ claimMs: 30_000, leaseMs: 300_000, onError: () => {} },
    extend: async (claimed) => void extended.push(claimed.map(({ id }) => id)),
  });
  const [first, second] = [claimedAs('first'), claimedAs('second')];
  claims.add(first);
  await vi.advanceTimersByTimeAsync(25_000);
  claims.add(second);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(extended).toEqual([['first'], ['first'], ['first', 'second']]);
  claims.remove(first);
  await vi.advanceTimersByTimeAsync(1_000_000);
  // 25 s after the start it was claimed: the last time that still ends within its lease is at 290 s.
  expect(extended.slice(3)).toEqual(Array(26).fill(['second']));
  claims.stop();
});

it('continues where one extension failed, and says so', async () => {
  const onError = vi.fn();
  const claims = keepClaims<ClaimedMessage>({
    claimMs: 300,
    leaseMs: 10_000,
    onError,
    extend: () => Promise.reject(new Error('away')),
  });
  claims.add(claimedAs('one'));
  await vi.advanceTimersByTimeAsync(350);
  expect(onError).toHaveBeenCalledTimes(3);
  claims.stop();
});

it('knows of a message that was in work before, until its lease is over or it is settled [W10]', async () => {
  const claims = keepClaims<ClaimedMessage>({
    claimMs: 300,
    leaseMs: 1_000,
    onError: () => {},
    extend: async () => {},
  });
  const [first, again] = [claimedAs('first'), { ...claimedAs('again'), attempt: 2 }];
  claims.add(first);
  expect(claims.hasRepeated()).toBe(false);
  claims.add(again);
  expect(claims.hasRepeated()).toBe(true);
  claims.remove(again);
  expect(claims.hasRepeated()).toBe(false);
  claims.add(again);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(claims.hasRepeated()).toBe(false);
  claims.stop();
});
