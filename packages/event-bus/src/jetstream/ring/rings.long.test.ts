import { randomUUID } from 'node:crypto';
import { type Database, insertOutboxMessage, markHandled, readBacklog } from '@attache/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Backends,
  type Given,
  missing,
  openConsumer,
  openLink,
  openRelay,
  openRinging,
  publish,
  readDead,
  readStates,
  startBackends,
} from '../../../contract/jetstream-backends.contract.ts';
import { WORK_STREAM } from '../topology.ts';
import { createRings, FALLBACK_MS, type Rings } from './rings.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const BACKLOG = 10_000;
/** Thousands of commits end in this time on a slow machine, too. */
const LONG = { timeout: 600_000 };
/** Looked for seldom: a look reads all rows, and would hold up the work that it waits for. */
const LONG_WAIT = { timeout: 600_000, interval: 500 };

let backends: Backends;

/** A change to the rings of the process that commits. */
type Between = (rings: Rings) => Rings;

const lost: Between = (rings) => ({ ...rings, ring: () => true });
const tripled: Between = (rings) => ({
  ...rings,
  ring: (announced) => [1, 2, 3].map(() => rings.ring(announced)).every(Boolean),
});
const late: Between = (rings) => ({
  ...rings,
  ring(announced) {
    setTimeout(() => rings.ring(announced), FALLBACK_MS + 2_000);
    return true;
  },
});

type Consuming = Parameters<typeof openConsumer>[3] & { handle?: (given: Given) => Promise<void> };

/** A process that commits and rings, with its relay, and one that consumes; each message has its effect in the transaction of its inbox row. */
async function openPair(between?: Between, { handle, ...options }: Consuming = {}) {
  const { db, rings, close } = await openRinging(backends, between);
  onTestFinished(close);
  const [ingest, projector] = [
    await openLink(backends.nats, 'ingest'),
    await openLink(backends.nats, 'projector', 5_000),
  ];
  openRelay(backends, ingest);
  const effects: string[] = [];
  const inWork = new Set<string>();
  let overlaps = 0;
  const work = async (given: Given) => {
    if (inWork.has(given.id)) overlaps += 1;
    inWork.add(given.id);
    await handle?.(given);
    const isFirst = await backends.db.asTenant(given.tenantId, (tx) => markHandled(tx, given.id, 'projector'));
    if (isFirst) effects.push(given.id);
    inWork.delete(given.id);
    return { as: 'ack' } as const;
  };
  const consumer = openConsumer(backends, projector, work, { rings: createRings(projector), ...options });
  await projector.nc.flush();
  return { db, rings, projector, effects, consumer, countOverlaps: () => overlaps };
}

/** Commits so many messages of one tenant at once, and waits until each of them has had its effect. */
async function commitMany(db: Database, count: number, effects: readonly string[]) {
  const tenantId = randomUUID();
  const ids = await Promise.all(Array.from({ length: count }, () => publish({ db }, tenantId)));
  await vi.waitUntil(() => ids.every((id) => effects.includes(id)), WAIT);
  await vi.waitUntil(async () => {
    const states = await readStates(backends, tenantId, ids);
    return ids.every((id) => states[id] === 'done');
  }, WAIT);
  return { tenantId, ids };
}

/** How many the relay is known to have published: one that is settled before the relay has marked it is not among them. */
const readEmitted = (tenantId: string) =>
  backends.db.asWorker(async (tx) => {
    const rows = await tx.query.outbox.findMany({ where: (table, { eq }) => eq(table.tenantId, tenantId) });
    return rows.filter(({ publishedAt, emission }) => publishedAt !== null || emission > 0).length;
  });

const countStored = async ({ projector }: Awaited<ReturnType<typeof openPair>>) =>
  (await projector.jsm.streams.info(WORK_STREAM)).state.messages;

const print = (fault: string, counts: object) => process.stdout.write(`rings: ${fault}: ${JSON.stringify(counts)}\n`);

describe.skipIf(missing)(missing ? `rings: ${missing}` : 'rings', () => {
  beforeAll(async () => {
    backends = await startBackends();
  });
  // Unfinished work of a failed test must not reach the next one.
  beforeEach(() => backends.runAsSuperuser('delete from outbox'));
  afterAll(() => backends.stop());

  it('bring a message at once, and its row is settled without a relay or the broker [W8]', async () => {
    const pair = await openPair();
    const { tenantId, ids } = await commitMany(pair.db, 200, pair.effects);
    expect(pair.consumer.given.map(({ attempt }) => attempt)).toEqual(ids.map(() => 1));
    expect({ emitted: await readEmitted(tenantId), stored: await countStored(pair) }).toEqual({
      emitted: 0,
      stored: 0,
    });
  });

  it.each<[string, Between]>([
    ['lost', lost],
    ['tripled', tripled],
    ['later than the relay', late],
  ])('that are %s leave each message with one effect [W6 W8]', async (fault, between) => {
    const pair = await openPair(between);
    const { tenantId, ids } = await commitMany(pair.db, 100, pair.effects);
    // Late rings find that everything is done.
    if (between === late) await vi.waitUntil(() => pair.consumer.given.length >= 2 * ids.length, WAIT);
    const counts = {
      ...{ messages: ids.length, effects: pair.effects.length, given: pair.consumer.given.length },
      ...{
        emitted: await readEmitted(tenantId),
        overlaps: pair.countOverlaps(),
        dead: (await readDead(backends, tenantId)).length,
      },
    };
    print(fault, counts);
    expect(pair.effects.toSorted()).toEqual(ids.toSorted());
    const given = between === late ? 2 * ids.length : ids.length;
    expect(counts).toMatchObject({ overlaps: 0, dead: 0, ...(between === tripled ? { emitted: 0 } : { given }) });
  });

  it('that come before their commit is visible find nothing, and the message comes all the same', async () => {
    const tenantId = randomUUID();
    const id = randomUUID();
    const data = { tenantId, sessionId: randomUUID(), attachmentId: randomUUID() };
    const isVisible = async () => (await readStates(backends, tenantId))[id] !== undefined;
    const found: boolean[] = [];
    const { rings } = await openRinging(backends);
    const ingest = await openLink(backends.nats, 'ingest');
    openRelay(backends, ingest);
    const projector = await openLink(backends.nats, 'projector');
    const handle = async () => {
      found.push(await isVisible());
      return { as: found.at(-1) ? 'ack' : 'left' } as const;
    };
    openConsumer(backends, projector, handle, { rings: createRings(projector) });
    await projector.nc.flush();
    rings.ring({ id, subject: 'attachment.added', data });
    await vi.waitUntil(() => found.length === 1, WAIT);
    const db = await backends.connectRinging({ ...rings, ring: () => true });
    await insertOutboxMessage(db, { id, subject: 'attachment.added', data });
    await vi.waitUntil(async () => (await readStates(backends, tenantId))[id] === 'done', WAIT);
    expect(found).toEqual([false, true]);
    await db.close();
  });

  it('for which there is no room are dropped, and the relay brings their messages [BX-27]', LONG, async () => {
    const gate = Promise.withResolvers<void>();
    const pair = await openPair(undefined, { concurrency: 2, handle: () => gate.promise });
    const tenantId = randomUUID();
    const ids: string[] = [];
    while (ids.length < 2_000)
      ids.push(...(await Promise.all(Array.from({ length: 500 }, () => publish({ db: pair.db }, tenantId)))));
    await pair.projector.nc.flush();
    expect(pair.consumer.given.length).toBe(2);
    gate.resolve();
    await vi.waitUntil(() => pair.effects.length >= ids.length, LONG_WAIT);
    await vi.waitUntil(
      async () => Object.values(await readStates(backends, tenantId)).every((state) => state === 'done'),
      LONG_WAIT,
    );
    print('full queue', { messages: ids.length, effects: pair.effects.length, emitted: await readEmitted(tenantId) });
    expect(pair.effects.toSorted()).toEqual(ids.toSorted());
    expect(await readEmitted(tenantId)).toBeGreaterThan(0);
  });

  it('of one tenant, 10,000 of them, do not hold up the one of another [BX-27]', async () => {
    const pair = await openPair(undefined, {
      concurrency: 4,
      handle: () => new Promise((resolve) => setTimeout(resolve, 5)),
    });
    const [many, one] = [randomUUID(), randomUUID()];
    for (let count = 0; count < BACKLOG; count += 1) {
      const data = { tenantId: many, sessionId: randomUUID(), attachmentId: randomUUID() };
      pair.rings.ring({ id: randomUUID(), subject: 'attachment.added', data });
    }
    const id = await publish({ db: pair.db }, one);
    await vi.waitUntil(() => pair.effects.includes(id), WAIT);
    const before = pair.consumer.given.findIndex((given) => given.id === id);
    print('10,000 rings of one tenant', { handledBefore: before, emitted: await readEmitted(one) });
    expect(before).toBeLessThan(BACKLOG / 10);
    expect(await readEmitted(one)).toBe(0);
  });

  it('hold the row of a message for as long as it is worked on: no relay brings it a second time [W11]', async () => {
    const pair = await openPair(undefined, {
      handle: () => new Promise((resolve) => setTimeout(resolve, 2 * FALLBACK_MS)),
    });
    const { tenantId } = await commitMany(pair.db, 3, pair.effects);
    expect({ given: pair.consumer.given.length, emitted: await readEmitted(tenantId) }).toEqual({
      given: 3,
      emitted: 0,
    });
  });

  it('and the relay bring the same message to one process: it is worked on once, and the broker is told [W8]', async () => {
    const gate = Promise.withResolvers<void>();
    const pair = await openPair(undefined, { handle: () => gate.promise });
    const tenantId = randomUUID();
    const id = await publish({ db: pair.db }, tenantId);
    await vi.waitUntil(() => pair.consumer.given.length === 1, WAIT);
    await backends.runAsSuperuser(`update outbox set available_at = now() where id = '${id}'`);
    await vi.waitUntil(async () => (await readEmitted(tenantId)) === 1, WAIT);
    await vi.waitUntil(
      async () => (await pair.projector.jsm.consumers.info(WORK_STREAM, 'projector')).num_ack_pending === 1,
      WAIT,
    );
    gate.resolve();
    await vi.waitUntil(async () => (await readStates(backends, tenantId))[id] === 'done', WAIT);
    await vi.waitUntil(async () => (await countStored(pair)) === 0, WAIT);
    expect(pair.consumer.given).toHaveLength(1);
  });

  it(
    'and a backlog of 10,000 messages at the start are worked off together, each message once [W13 BX-27]',
    LONG,
    async () => {
      const tenantId = randomUUID();
      await backends.runAsSuperuser(`insert into outbox (tenant_id, id, subject, data, created_at)
        select '${tenantId}'::uuid, i.id, 'attachment.added', jsonb_build_object('tenantId', '${tenantId}'::text, 'sessionId', i.id, 'attachmentId', i.id), now() - interval '10 minutes'
          from (select gen_random_uuid() as id from generate_series(1, ${BACKLOG})) i`);
      const pair = await openPair(undefined, { concurrency: 16 });
      const { ids } = await commitMany(pair.db, 20, pair.effects);
      const behind = BACKLOG - pair.effects.length + ids.length;
      await vi.waitUntil(() => pair.effects.length === BACKLOG + ids.length, LONG_WAIT);
      print('10,000 at the start', {
        effects: pair.effects.length,
        waitedWhenRung: behind,
        given: pair.consumer.given.length,
      });
      expect(new Set(pair.effects).size).toBe(BACKLOG + ids.length);
      expect(behind).toBeGreaterThan(0);
    },
  );

  it('are not waited for while NATS is away: rows are a backlog at once, and all come when it is back [W13]', async () => {
    const pair = await openPair();
    await backends.nats.kill();
    await vi.waitUntil(() => pair.db.fallbackMs === 0, WAIT);
    const tenantId = randomUUID();
    const ids = await Promise.all(Array.from({ length: 50 }, () => publish({ db: pair.db }, tenantId)));
    expect(await readBacklog(backends.db, ['attachment.added'])).toMatchObject({ waiting: ids.length });
    // As long ago as an outage may have begun.
    await backends.runAsSuperuser(`update outbox set created_at = created_at - interval '10 minutes', available_at = available_at - interval '10 minutes'
        where tenant_id = '${tenantId}'::uuid`);
    await backends.nats.start();
    await vi.waitUntil(() => ids.every((id) => pair.effects.includes(id)), WAIT);
    print('NATS away', { messages: ids.length, effects: pair.effects.length });
    expect(pair.effects.toSorted()).toEqual(ids.toSorted());
  });

  it('that were sent are no backlog, and one that is lost is one from its time on [W13]', async () => {
    const { db, close } = await openRinging(backends, lost);
    const tenantId = randomUUID();
    const id = await publish({ db }, tenantId);
    const waiting = async () => (await readBacklog(backends.db, ['attachment.added'])).waiting;
    expect(await waiting()).toBe(0);
    await backends.runAsSuperuser(`update outbox set available_at = now() where id = '${id}'`);
    expect(await waiting()).toBe(1);
    await backends.runAsSuperuser(`delete from outbox where id = '${id}'`);
    await close();
  });
});
