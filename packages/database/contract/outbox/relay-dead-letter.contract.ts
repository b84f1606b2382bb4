import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { buryMessage } from '../../src/dead-letters/bury-message.ts';
import { listDeadLetters } from '../../src/dead-letters/dead-letter-reader.ts';
import { replayDeadLetter } from '../../src/dead-letters/dead-letter-writer.ts';
import { claimMessages } from '../../src/outbox/outbox-queue.ts';
import { insertOutboxMessage } from '../../src/outbox/outbox-writer.ts';
import { createPlace, createTenant, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const consumer = 'runner-gateway';
const claim = { subjects: ['session.ended'], limit: 1000, leaseMs: 60_000 };

const bury = (db: Database, message: { tenantId: string; id: string; data?: unknown }, reason: string) =>
  buryMessage(db, { data: {}, ...message, consumer, subject: 'session.ended' }, { reason, attempts: 1 });

/** A message of the tenant that died for a reason. */
async function kill(db: Database, tenantId: string, reason: string): Promise<string> {
  const id = uuidV7();
  const data = { tenantId, sessionId: randomUUID() };
  await insertOutboxMessage(db, { id, subject: 'session.ended', data });
  await bury(db, { tenantId, id, data }, reason);
  return id;
}

const isClaimable = async (db: Database, id: string) =>
  (await claimMessages(db, claim)).some((message) => message.id === id);

/** Dead letters as the operator sees and replays them. */
export function describeDeadLetters({ useDb }: DatabaseSuite): void {
  it('are listed newest first, page by page, of one tenant or of all [W10]', async () => {
    const db = useDb();
    const [tenantId, other] = [await createTenant(db), await createTenant(db)];
    const killed: string[] = [];
    for (let count = 0; count < 5; count += 1) killed.push(await kill(db, tenantId, `reason ${count}`));
    const foreign = await kill(db, other, 'another');
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await listDeadLetters(db, { tenantId, limit: 2, cursor });
      pages.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat().toSorted()).toEqual(killed.toSorted());
    const all = await listDeadLetters(db, { limit: 1000 });
    expect(all.items.map(({ id }) => id)).toEqual(expect.arrayContaining([...killed, foreign]));
    expect(all.nextCursor).toBeNull();
    const times = all.items.map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    await expect(listDeadLetters(db, { limit: 1, cursor: 'x' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('wait again when they are replayed, once, and can be replayed again when they die again [W10]', async () => {
    const db = useDb();
    const { tenantId }: Place = await createPlace(db);
    const id = await kill(db, tenantId, 'first');
    expect(await replayDeadLetter(db, { tenantId, id, consumer })).toBe('replayed');
    expect(await isClaimable(db, id)).toBe(true);
    expect(await replayDeadLetter(db, { tenantId, id, consumer })).toBe('already-replayed');
    await bury(db, { tenantId, id }, 'second');
    const { items } = await listDeadLetters(db, { tenantId, limit: 10 });
    expect(items).toMatchObject([{ id, reason: 'second', replayedAt: null }]);
    expect(await replayDeadLetter(db, { tenantId, id, consumer })).toBe('replayed');
  });

  it('are replayed by one of two who do it at once, and where their message was pruned', async () => {
    const db = useDb();
    const tenantId = await createTenant(db);
    const id = await kill(db, tenantId, 'pruned');
    await db.asWorker((tx) => tx.execute(sql`delete from outbox where id = ${id}::uuid`));
    const replay = () => replayDeadLetter(db, { tenantId, id, consumer });
    expect((await Promise.all([replay(), replay()])).toSorted()).toEqual(['already-replayed', 'replayed']);
    expect(await isClaimable(db, id)).toBe(true);
  });

  it('of another tenant or consumer, or none at all, are not found', async () => {
    const db = useDb();
    const [tenantId, other] = [await createTenant(db), await createTenant(db)];
    const id = await kill(db, tenantId, 'mine');
    const outcomes = await Promise.all([
      replayDeadLetter(db, { tenantId: other, id, consumer }),
      replayDeadLetter(db, { tenantId, id, consumer: 'projector' }),
      replayDeadLetter(db, { tenantId, id: randomUUID(), consumer }),
    ]);
    expect(outcomes).toEqual(['not-found', 'not-found', 'not-found']);
  });
}
