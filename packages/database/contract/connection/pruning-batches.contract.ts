import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import {
  dropDeadIdempotencyKeys,
  dropExpiredIdempotencyKeys,
  endDeadReservations,
  readAbandonedBlobs,
} from '../../src/blob/blob-sweep.ts';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database } from '../../src/database.ts';
import { pruneOutbox } from '../../src/outbox/outbox-queue.ts';
import { takeReplica } from '../../src/session/owner/session-owner-writer.ts';
import { createPlace } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const ROWS = 2_500;
const LIMIT = 1_000;
// Older than what any other test leaves.
const OLD = '2001-01-01';
const olderThanMs = Date.now() - Date.UTC(2002, 0, 1);

/** Rows of a tenant that are left in outbox and inbox. */
const countLeft = (db: Database, tenantId: string): Promise<{ outbox: number; inbox: number }> =>
  db.asWorker((tx) =>
    runStatement(
      tx,
      sql`select jsonb_build_object('outbox', (select count(*) from outbox where tenant_id = ${tenantId}::uuid),
            'inbox', (select count(*) from inbox where tenant_id = ${tenantId}::uuid))`,
    ),
  );

/** Reservations of a byte each. */
async function reserveMany(db: Database, tenantId: string, holder: string, count: number): Promise<void> {
  await db.asTenant(tenantId, async (tx) => {
    await tx.execute(sql`insert into blob (tenant_id, id, key, store_id, state, reserved_bytes, holder)
      select ${tenantId}::uuid, gen_random_uuid(), gen_random_uuid()::text, 'files', 'reserved', 1, ${holder}::uuid from generate_series(1, ${count}::int)`);
    await tx.execute(sql`update tenant set reserved_bytes = reserved_bytes + ${count}::int`);
  });
}

/** No step holds a transaction for longer than a bounded number of rows takes. */
export function describePruningBatches({ useDb }: DatabaseSuite): void {
  it('of outbox and inbox remove no more than a number of rows, and come again for the rest [BX-27]', async () => {
    const db = useDb();
    const { tenantId } = await createPlace(db);
    await db.asWorker(async (tx) => {
      await tx.execute(sql`insert into outbox (tenant_id, id, subject, data, state, created_at)
        select ${tenantId}::uuid, gen_random_uuid(), 'session.ended', '{}', case when n = 1 then 'published' else 'done' end, ${OLD}::timestamptz
          from generate_series(1, ${ROWS}::int) n`);
    });
    await db.asWorker(async (tx) => {
      await tx.execute(sql`insert into inbox (tenant_id, event_id, consumer, handled_at)
        select ${tenantId}::uuid, gen_random_uuid(), 'projector', ${OLD}::timestamptz from generate_series(1, ${ROWS}::int)`);
    });
    const step = () => pruneOutbox(db, { olderThanMs, limit: LIMIT });
    expect(await step()).toEqual({ removed: LIMIT, isDone: false });
    expect(await countLeft(db, tenantId)).toEqual({ outbox: ROWS - LIMIT, inbox: ROWS - LIMIT });
    expect(await step()).toEqual({ removed: LIMIT, isDone: false });
    expect(await step()).toEqual({ removed: ROWS - 2 * LIMIT - 1, isDone: true });
    expect(await countLeft(db, tenantId)).toEqual({ outbox: 1, inbox: 0 });
  });

  it('of idempotency keys do, too [BX-27]', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    await db.asTenant(tenantId, async (tx) => {
      await tx.execute(sql`insert into idempotency (tenant_id, route, session_id, key, expires_at)
        select ${tenantId}::uuid, 'sendMessage', ${sessionId}::uuid, n::text, case when n = 1 then now() + interval '1 hour' else ${OLD}::timestamptz end
          from generate_series(1, ${ROWS}::int) n`);
    });
    const dropped: number[] = [];
    for (let step = 0; step < 4; step += 1) dropped.push(await dropExpiredIdempotencyKeys(db, tenantId, LIMIT));
    expect(dropped).toEqual([LIMIT, LIMIT, ROWS - 2 * LIMIT - 1, 0]);
  });

  it('of idempotency keys in progress do, and leave what was opened since [BX-27]', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    await db.asTenant(tenantId, async (tx) => {
      await tx.execute(sql`insert into idempotency (tenant_id, route, session_id, key, state, created_at, expires_at)
        select ${tenantId}::uuid, 'sendMessage', ${sessionId}::uuid, n::text, case when n = 1 then 'done' else 'in-progress' end,
            case when n = 2 then now() else ${OLD}::timestamptz end, now() + interval '1 hour'
          from generate_series(1, ${ROWS}::int) n`);
    });
    const step = () => dropDeadIdempotencyKeys(db, tenantId, { openedBefore: new Date('2002-01-01'), limit: LIMIT });
    expect([await step(), await step(), await step(), await step()]).toEqual([LIMIT, LIMIT, ROWS - 2 * LIMIT - 2, 0]);
  });

  it('of reservations whose process died do, and give back what each of them reserved [BX-27 S32]', async () => {
    const db = useDb();
    const { tenantId } = await createPlace(db);
    const [living, dead] = [randomUUID(), randomUUID()];
    await takeReplica(db, { replicaId: living, incarnation: living, leaseMs: 3_600_000 });
    await reserveMany(db, tenantId, living, 30);
    await reserveMany(db, tenantId, dead, ROWS);
    await reserveMany(db, tenantId, randomUUID(), 1);
    const readReserved = async () => (await db.asTenant(tenantId, (tx) => tx.query.tenant.findFirst()))?.reservedBytes;
    expect(await readReserved()).toBe(ROWS + 31);
    const left: unknown[] = [];
    for (let step = 0; step < 4; step += 1) left.push([await endDeadReservations(db, tenantId), await readReserved()]);
    expect(left).toEqual([
      [LIMIT, ROWS + 31 - LIMIT],
      [LIMIT, ROWS + 31 - 2 * LIMIT],
      [ROWS + 1 - 2 * LIMIT, 30],
      [0, 30],
    ]);
  });

  it('of blobs that never became live are read page by page, none twice and none left out [BX-27 W3]', async () => {
    const db = useDb();
    const { tenantId } = await createPlace(db);
    await reserveMany(db, tenantId, randomUUID(), ROWS);
    const madeBefore = new Date(Date.now() + 60_000);
    const found: string[] = [];
    const sizes: number[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const page = await readAbandonedBlobs(db, tenantId, { madeBefore, after, limit: LIMIT });
      found.push(...page.map(({ id }) => id));
      sizes.push(page.length);
      after = page.at(-1)?.id;
    }
    expect(sizes).toEqual([LIMIT, LIMIT, ROWS - 2 * LIMIT, 0]);
    expect(new Set(found).size).toBe(ROWS);
  });
}
