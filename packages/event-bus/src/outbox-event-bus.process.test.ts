import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { BusMessage } from '@attache/contracts';
import type { Database } from '@attache/database';
import { copyPgliteFolder } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLocalDoorbells, type Doorbells } from './doorbells.ts';
import { type DeadMessage, describeEventBus } from './event-bus.contract.ts';
import { createOutboxEventBus } from './outbox-event-bus.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const NEVER_MS = 3_600_000;

let folder: string;
let db: Database;
let doorbells: Doorbells;

beforeAll(async () => {
  folder = await copyPgliteFolder();
  doorbells = createLocalDoorbells();
  db = await connectPglite({ folder, onCommitted: (bells) => doorbells.ring(bells) });
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
      const ids = { tenantId: randomUUID(), sessionId: randomUUID(), attachmentId: randomUUID() };
      const id = randomUUID();
      await bus.publish({ id, subject: 'attachment.added', data: ids });
      await vi.waitUntil(() => received.length > 0, { timeout: 30_000, interval: 2 });
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

  it('is not ready when the database is gone', async () => {
    const bus = createOutboxEventBus({ db, doorbells, log });
    await db.close();
    await expect(bus.checkReady()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
  });
});
