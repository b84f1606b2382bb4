import { expect, it, vi } from 'vitest';
import { followEvents } from '../../log/follow-events.ts';
import type { SentEvent } from '../../log/log-tail.ts';
import type { SessionFeeds } from '../../log/session-feeds.ts';
import { streamEvents } from './stream-events.ts';

function open(readAfter: (seq: number) => Promise<SentEvent[]>) {
  const followers = { joined: 0, left: 0 };
  const feeds: SessionFeeds = {
    join() {
      followers.joined += 1;
      const leave = () => {
        followers.left += 1;
      };
      return { readAfter, lookAgain() {}, leave };
    },
  };
  const reader = new AbortController();
  const place = { tenantId: 'tenant', sessionId: 'session', afterSeq: 0 };
  const chunks = followEvents(feeds, { ...place, signal: reader.signal, isStillAdmitted: async () => true });
  const onEnd = vi.fn();
  return { followers, onEnd, body: streamEvents(chunks, { reader, onEnd }).getReader() };
}

const replay = async (seq: number) => [{ seq: seq + 1, text: `id: ${seq + 1}\n\n` }];

it.each([
  ['in the middle of a replay', replay, 3],
  ['while it waits for news', async () => [], 1],
  ['before anything is read', replay, 0],
] as const)('a stream that is cancelled %s follows no longer', async (_, readAfter, reads) => {
  const { followers, onEnd, body } = open(readAfter);
  for (let read = 0; read < reads; read += 1) expect((await body.read()).done).toBe(false);
  await vi.waitFor(() => expect(followers.joined).toBe(1), { timeout: 30_000 });
  await body.cancel();
  await vi.waitFor(() => expect(followers).toEqual({ joined: 1, left: 1 }), { timeout: 30_000 });
  expect(onEnd).toHaveBeenCalledTimes(1);
});

it('a stream whose log cannot be read follows no longer', async () => {
  const { followers, onEnd, body } = open(() => Promise.reject(new Error('down')));
  expect((await body.read()).done).toBe(false);
  await expect(body.read()).rejects.toThrow('down');
  expect(followers).toEqual({ joined: 1, left: 1 });
  expect(onEnd).toHaveBeenCalledTimes(1);
});
