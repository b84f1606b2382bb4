import { randomUUID } from 'node:crypto';
import { idFromUuid, type OutputDelta } from '@attache/contracts';
import { appendEvents } from '@attache/database';
import { countRoundTrips } from '@attache/database/contract';
import { expect, it, onTestFinished } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { followEvents } from './follow-events.ts';
import { createSessionFeeds, type SessionFeeds } from './session-feeds.ts';

const appendTo = ({ deps, tenantId, sessionId }: Fixture, count: number) =>
  deps.db.asTenant(tenantId, (tx) =>
    appendEvents(
      tx,
      sessionId,
      Array.from({ length: count }, () => ({
        kind: 'attachment.deleted' as const,
        actor: { type: 'service' as const, id: 'ingest' as const },
        data: { attachmentId: idFromUuid('attachment', randomUUID()) },
      })),
    ),
  );

/** Collects what a follower is sent: seqs of events, and deltas. */
function follow(feeds: SessionFeeds, { tenantId, sessionId }: Fixture, afterSeq: number) {
  const reader = new AbortController();
  onTestFinished(() => reader.abort());
  const got: (number | string)[] = [];
  const isStillAdmitted = async () => true;
  const stream = followEvents(feeds, { tenantId, sessionId, afterSeq, signal: reader.signal, isStillAdmitted });
  const ended = (async () => {
    for await (const text of stream) {
      for (const line of text.split('\n')) {
        if (line.startsWith('id: ')) got.push(Number(line.slice(4)));
        if (line.startsWith('data: {"kind":"agent.delta"')) got.push('delta');
      }
    }
  })();
  const end = () => {
    reader.abort();
    return ended;
  };
  return { got, end };
}

const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

it('twenty followers of a session cost one query for each ring, and each gets every event once [BX-27]', async () => {
  const fixture = await openFixture();
  const { db, take } = countRoundTrips(fixture.deps.db);
  const feeds = createSessionFeeds({ ...fixture.deps, db });
  await appendTo(fixture, 5);
  const followers = Array.from({ length: 20 }, (_, index) => follow(feeds, fixture, index % 6));
  const expectAll = (last: number) =>
    expect
      .poll(() => followers.map(({ got }) => got))
      .toEqual(followers.map((_, index) => upTo((index % 6) + 1, last)));
  await expectAll(5);
  take();
  for (const last of [6, 7, 8]) {
    await appendTo(fixture, 1);
    fixture.deps.doorbells.ring([`log:${fixture.sessionId}`]);
    await expectAll(last);
  }
  // One that saw the commit's own ring and one that saw ours.
  expect(take()).toBeLessThanOrEqual(6);
  await appendTo(fixture, 450);
  fixture.deps.doorbells.ring([`log:${fixture.sessionId}`]);
  await expectAll(458);
  const late = follow(feeds, fixture, 3);
  await expect.poll(() => late.got).toEqual(upTo(4, 458));
});

it('a token delta costs no query, and reaches all who follow now', async () => {
  const fixture = await openFixture();
  const { db, take } = countRoundTrips(fixture.deps.db);
  const feeds = createSessionFeeds({ ...fixture.deps, db });
  await appendTo(fixture, 1);
  const followers = [follow(feeds, fixture, 0), follow(feeds, fixture, 0)];
  await expect.poll(() => followers.map(({ got }) => got)).toEqual([[1], [1]]);
  take();
  const delta: OutputDelta = { agentId: idFromUuid('agent', fixture.agentId), type: 'text', text: 'a word' };
  for (let count = 0; count < 50; count += 1) {
    fixture.deps.doorbells.sendDelta(fixture.sessionId, delta);
    await new Promise(setImmediate);
  }
  await expect.poll(() => followers.map(({ got }) => got.length)).toEqual([51, 51]);
  expect(take()).toBe(0);
});

it('a follower that comes back is sent what came meanwhile, by a feed of its own', async () => {
  const fixture = await openFixture();
  const feeds = createSessionFeeds(fixture.deps);
  await appendTo(fixture, 2);
  const first = follow(feeds, fixture, 0);
  await expect.poll(() => first.got).toEqual([1, 2]);
  await first.end();
  await appendTo(fixture, 2);
  const second = follow(feeds, fixture, 2);
  await expect.poll(() => second.got).toEqual([3, 4]);
});
