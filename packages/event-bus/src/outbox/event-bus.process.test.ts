import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { BusMessage } from '@attache/contracts';
import { claimMessages, type Database, releaseClaims } from '@attache/database';
import { copyPgliteFolder } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DeadMessage, describeEventBus } from '../../contract/event-bus.contract.ts';
import { createLocalDoorbells, type Doorbells } from '../doorbells.ts';
import type { EventBus } from '../event-bus.ts';
import { createOutboxEventBus } from './event-bus.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const NEVER_MS = 3_600_000;

let folder: string;
let db: Database;
let doorbells: Doorbells;

beforeAll(async () => {
  folder = await copyPgliteFolder();
  doorbells = createLocalDoorbells();
  db = await connectPglite({ folder, onCommitted: (rungNames) => doorbells.ring(rungNames) });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const readDead = (tenantId: string): Promise<DeadMessage[]> =>
  db.asWorker(async (tx) => {
    const rows = await tx.query.deadLetter.findMany({ where: (table, { eq }) => eq(table.tenantId, tenantId) });
    return rows.map(({ id, consumer, reason, attempts }) => ({ id, consumer, reason, attempts }));
  });

describeEventBus('outbox', async ({ leaseMs }) => ({
  bus: createOutboxEventBus({ db, doorbells, log, leaseMs, pollMs: 20 }),
  readDead,
  close: async () => {},
}));

async function publishOne(bus: EventBus): Promise<{ id: string; tenantId: string }> {
  const data = { tenantId: randomUUID(), sessionId: randomUUID(), attachmentId: randomUUID() };
  const id = randomUUID();
  await bus.publish({ id, subject: 'attachment.added', data });
  return { id, tenantId: data.tenantId };
}

const readRow = (tenantId: string, id: string) =>
  db.asWorker(async (tx) => {
    const rows = await tx.query.outbox.findMany({ where: (table, { eq }) => eq(table.tenantId, tenantId) });
    return rows.find((row) => row.id === id);
  });

describe('outbox event bus', () => {
  /** Publishes one message to a consumer that is there; answers its id, and those that came, when one has come. */
  async function publishAndWait(options: { doorbells: Doorbells; pollMs: number }) {
    const bus = createOutboxEventBus({ db, log, ...options });
    const received: BusMessage[] = [];
    const handle = async (message: BusMessage) => {
      received.push(message);
      return { as: 'ack' as const };
    };
    const consumer = bus.consume({ consumer: 'projector', concurrency: 1, handle });
    try {
      const { id } = await publishOne(bus);
      await vi.waitUntil(() => received.length > 0, { timeout: 60_000, interval: 2 });
      return { published: [id], received: received.map((message) => message.id) };
    } finally {
      await consumer.stop();
    }
  }

  it('is woken by the ring of the commit, without its poll', async () => {
    const { published, received } = await publishAndWait({ doorbells, pollMs: NEVER_MS });
    expect(received).toEqual(published);
  });

  it('finds by its poll what a lost ring did not tell', async () => {
    const deaf: Doorbells = { ...createLocalDoorbells(), listen: () => () => {} };
    const { published, received } = await publishAndWait({ doorbells: deaf, pollMs: 10 });
    expect(received).toEqual(published);
  });

  it('extends the claim of a message while its handler works [W8]', async () => {
    const bus = createOutboxEventBus({ db, doorbells, log, claimMs: 300, pollMs: 10 });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const handle = async () => {
      await ended;
      return { as: 'ack' as const };
    };
    const consumer = bus.consume({ consumer: 'projector', concurrency: 1, handle });
    const { id, tenantId } = await publishOne(bus);
    const seen = new Set<number>();
    // The claim itself, and three extensions.
    await vi.waitUntil(
      async () => {
        const claimedUntil = (await readRow(tenantId, id))?.claimedUntil;
        if (claimedUntil) seen.add(claimedUntil.getTime());
        return seen.size >= 4;
      },
      { timeout: 60_000, interval: 20 },
    );
    // One consumer with room for one: nobody else has claimed it.
    expect((await readRow(tenantId, id))?.attempts).toBe(1);
    end();
    await vi.waitUntil(async () => (await readRow(tenantId, id))?.state === 'done', { timeout: 60_000, interval: 5 });
    await consumer.stop();
  });

  it('gives no message to a sixth process that five have died of, and takes no other with it [W10]', async () => {
    const bus = createOutboxEventBus({ db, doorbells, log, pollMs: 10 });
    const { id, tenantId } = await publishOne(bus);
    // The ids may come from the same millisecond, so either may come first.
    const others = [(await publishOne(bus)).id, (await publishOne(bus)).id].toSorted();
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const claim = { subjects: ['attachment.added'], limit: 100, again: 1, leaseMs: NEVER_MS };
      const claimed = await claimMessages(db, claim);
      expect(claimed.map((each) => each.attempt)).toEqual(attempt === 1 ? [1, 1, 1] : [attempt]);
      const expected = attempt === 1 ? [id, ...others] : [id];
      expect(claimed.map((each) => each.id).toSorted()).toEqual(expected.toSorted());
      // As the next start does.
      await releaseClaims(db);
    }
    const given: string[] = [];
    const handle = async (message: BusMessage) => {
      given.push(message.id);
      return { as: 'ack' as const };
    };
    const consumer = bus.consume({ consumer: 'projector', concurrency: 1, handle });
    const dead = await vi.waitUntil(async () => (await readDead(tenantId))[0], { timeout: 60_000, interval: 5 });
    await vi.waitUntil(() => given.length === others.length, { timeout: 60_000, interval: 5 });
    await consumer.stop();
    expect(dead).toEqual({ id, consumer: 'projector', reason: 'not settled in 5 attempts', attempts: 5 });
    expect(given.toSorted()).toEqual(others);
  });

  it('is not ready when the database is gone', async () => {
    const bus = createOutboxEventBus({ db, doorbells, log });
    await db.close();
    await expect(bus.checkReady()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
  });
});
