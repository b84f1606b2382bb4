import { randomUUID } from 'node:crypto';
import { idFromUuid, type SessionEvent } from '@attache/contracts';
import { appendEvents, readEvents } from '@attache/database';
import { countRoundTrips } from '@attache/database/contract';
import { createLocalDoorbells } from '@attache/event-bus';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openFixture } from '../__fixtures__/open-fixture.ts';
import { followEvents } from './follow-events.ts';
import { createSessionFeeds } from './session-feeds.ts';

const WAIT = { timeout: 60_000, interval: 5 };

// No follower looks by itself: the clock by which it would does not move.
beforeEach(() => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  return () => clock.mockRestore();
});

const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** A log that is followed over doorbells on which only the test sends. */
async function openLog() {
  const fixture = await openFixture();
  const { tenantId, sessionId } = fixture;
  const { db, take } = countRoundTrips(fixture.deps.db);
  // The result of a read reaches its reader once this gate is open.
  const gate: { held: number; isClosed: boolean; open: () => void } = { held: 0, isClosed: false, open: () => {} };
  const call: typeof db.call = async (...asked) => {
    const found = await db.call<never>(...asked);
    if (gate.isClosed) {
      gate.held += 1;
      await new Promise<void>((resolve) => {
        gate.open = resolve;
      });
    }
    return found;
  };
  const doorbells = createLocalDoorbells({ isAtOnce: true });
  const feeds = createSessionFeeds({ db: { ...db, call }, doorbells });

  /** Commits events and notifies nobody. */
  const append = async (count: number): Promise<SessionEvent[]> => {
    const rows = Array.from({ length: count }, () => ({
      ...{ kind: 'attachment.deleted' as const, actor: { type: 'service' as const, id: 'ingest' as const } },
      data: { attachmentId: idFromUuid('attachment', randomUUID()) },
    }));
    const last = await fixture.deps.db.asTenant(tenantId, (tx) => appendEvents(tx, sessionId, rows));
    return readEvents(fixture.deps.db, { tenantId, sessionId, afterSeq: last - count, limit: count });
  };
  const follow = (afterSeq: number) => {
    const reader = new AbortController();
    onTestFinished(() => reader.abort());
    const got: number[] = [];
    const texts: string[] = [];
    const request = { tenantId, sessionId, afterSeq, signal: reader.signal, isStillAdmitted: async () => true };
    const ended = (async () => {
      for await (const text of followEvents(feeds, request)) {
        texts.push(text);
        for (const [, seq] of text.matchAll(/^id: (\d+)$/gm)) got.push(Number(seq));
      }
    })();
    const end = () => {
      reader.abort();
      return ended;
    };
    return { got, texts, end };
  };
  return {
    ...{ append, follow, take, gate },
    /** Sends events as the owner of the session sends those that it committed. */
    feed: (events: SessionEvent[]) => doorbells.feedEvents(sessionId, { tenantId, events }),
    feedAs: (tenant: string, events: SessionEvent[]) => doorbells.feedEvents(sessionId, { tenantId: tenant, events }),
    ring: (upToSeq?: number) => doorbells.ring([`log:${sessionId}`], upToSeq),
  };
}

async function openFollowed() {
  const log = await openLog();
  await log.append(2);
  const follower = log.follow(0);
  await expect.poll(() => follower.got, WAIT).toEqual([1, 2]);
  // It has seen that nothing more is there.
  await expect.poll(() => log.take(), WAIT).toBe(0);
  return { ...log, follower };
}

it('events that come live cost no read, and neither does the doorbell behind them [BX-27]', async () => {
  const { append, feed, ring, take, follower, follow } = await openFollowed();
  const another = follow(1);
  await expect.poll(() => another.got, WAIT).toEqual([2]);
  take();
  for (let round = 0; round < 10; round += 1) {
    const events = await append(1 + (round % 3));
    feed(events);
    ring(events.at(-1)?.seq);
  }
  await expect.poll(() => [follower.got, another.got], WAIT).toEqual([upTo(1, 21), upTo(2, 21)]);
  expect(take()).toBe(0);
});

it('an event that comes live is sent as one that is read', async () => {
  const { append, feed, follower, follow } = await openFollowed();
  feed(await append(1));
  await expect.poll(() => follower.got, WAIT).toEqual([1, 2, 3]);
  await follower.end();
  const later = follow(2);
  await expect.poll(() => later.got, WAIT).toEqual([3]);
  expect(follower.texts.at(-1)).toBe(later.texts.at(-1));
});

it('what is missing before a live event is read, once for all', async () => {
  const { append, feed, take, follower, follow } = await openFollowed();
  const another = follow(2);
  await append(3);
  take();
  feed((await append(1)).slice(0));
  await expect.poll(() => [follower.got, another.got], WAIT).toEqual([upTo(1, 6), upTo(3, 6)]);
  expect(take()).toBeLessThanOrEqual(2);
});

it('events that come twice, late or in another order are sent once, in order', async () => {
  const { append, feed, follower } = await openFollowed();
  const [third, fourth, fifth, sixth] = (await append(4)) as [SessionEvent, SessionEvent, SessionEvent, SessionEvent];
  for (const one of [third, third, fifth, fourth, third, fifth, sixth, fourth, sixth]) feed([one]);
  await expect.poll(() => follower.got, WAIT).toEqual(upTo(1, 6));
  for (const late of [third, sixth]) feed([late]);
  feed(await append(1));
  await expect.poll(() => follower.got, WAIT).toEqual(upTo(1, 7));
});

it('what was lost while the bus was away is read at the first event behind it, or the first doorbell', async () => {
  const { append, feed, ring, follower } = await openFollowed();
  await append(150);
  feed(await append(1));
  await expect.poll(() => follower.got, WAIT).toEqual(upTo(1, 153));
  await append(2);
  ring();
  await expect.poll(() => follower.got, WAIT).toEqual(upTo(1, 155));
});

it('an event that was too large to be sent is read, by the doorbell behind it', async () => {
  const { append, feed, ring, take, follower } = await openFollowed();
  const [small, large] = (await append(2)) as [SessionEvent, SessionEvent];
  take();
  feed([small]);
  ring(large.seq);
  await expect.poll(() => follower.got, WAIT).toEqual(upTo(1, 4));
  expect(take()).toBe(1);
});

it('a ring during a read is heard by all who wait for that read', async () => {
  const { append, ring, gate, follower, follow } = await openFollowed();
  const another = follow(2);
  ring();
  await new Promise(setImmediate);
  await expect.poll(() => gate.held, WAIT).toBe(0);
  gate.isClosed = true;
  ring();
  await expect.poll(() => gate.held, WAIT).toBe(1);
  gate.isClosed = false;
  await append(1);
  ring();
  gate.open();
  await expect.poll(() => [follower.got, another.got], WAIT).toEqual([[1, 2, 3], [3]]);
});

it('events of another tenant are sent to nobody, whatever session they name [BX-09]', async () => {
  const { append, feed, feedAs, follower } = await openFollowed();
  const [third] = (await append(1)) as [SessionEvent];
  feedAs(randomUUID(), [{ ...third, data: { secret: 'of another tenant' } }]);
  feed([third]);
  await expect.poll(() => follower.got, WAIT).toEqual([1, 2, 3]);
  expect(follower.texts.join('')).not.toContain('of another tenant');
});

it('who comes back by the id of the last event gets each one once, whatever comes live meanwhile', async () => {
  const { append, feed, follower, follow } = await openFollowed();
  for (let round = 0; round < 20; round += 1) {
    const at = follower.got.at(-1) ?? 0;
    feed(await append(3));
    const back = follow(at - 1);
    feed(await append(1));
    const last = 2 + 4 * (round + 1);
    await expect.poll(() => [follower.got, back.got], WAIT).toEqual([upTo(1, last), upTo(at, last)]);
    await back.end();
  }
});

/** Numbers of a seed: a failure can be reproduced. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'nothing is lost, doubled or reordered over a bus that does all of it: seed %i',
  async (seed) => {
    const random = createRandom(seed);
    const { append, feed, ring, follower, follow } = await openFollowed();
    const followers = [follower];
    const firsts = [1];
    const held: SessionEvent[][] = [];
    let last = 2;
    for (let step = 0; step < 60; step += 1) {
      const events = await append(1 + random(3));
      last += events.length;
      const fate = random(6);
      if (fate === 0) held.push(events);
      else if (fate > 1) feed(events);
      if (fate === 2) feed(events);
      if (random(3) === 0) ring(random(2) === 0 ? undefined : last - random(3));
      if (random(4) === 0) for (const late of held.splice(0, 1 + random(2)).reverse()) feed(late);
      if (random(10) === 0) {
        const after = random(last);
        followers.push(follow(after));
        firsts.push(after + 1);
      }
      if (random(3) === 0) await new Promise(setImmediate);
    }
    feed(await append(1));
    const expected = firsts.map((first) => upTo(first, last + 1));
    await expect.poll(() => followers.map(({ got }) => got), WAIT).toEqual(expected);
  },
);
