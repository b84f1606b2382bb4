import type { Database } from '@attache/database';
import type { Doorbells } from '@attache/event-bus';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followEvents } from './follow-events.ts';
import { createSessionFeeds } from './session-feeds.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const silent = {
  listen: () => () => {},
  listenDeltas: () => () => {},
  listenEvents: () => () => {},
} as unknown as Doorbells;
const empty = { call: async () => [] } as unknown as Database;

it('asks about its credential in time though the clock of the machine is set back [S31]', async () => {
  const isStillAdmitted = vi.fn(async () => false);
  const place = { tenantId: 'tenant', sessionId: 'session', afterSeq: 0 };
  const request = { ...place, signal: new AbortController().signal, isStillAdmitted };
  const stream = followEvents(createSessionFeeds({ db: empty, doorbells: silent }), request);
  await stream.next();
  vi.setSystemTime(Date.now() - 3_600_000);
  const heartbeat = stream.next();
  await vi.advanceTimersByTimeAsync(15_000);
  await heartbeat;
  expect((await stream.next()).done).toBe(true);
  expect(isStillAdmitted).toHaveBeenCalledTimes(1);
});
