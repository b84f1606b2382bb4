import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { dropExpiredIdempotencyKeys } from '../../src/blob/blob-sweep.ts';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database } from '../../src/database.ts';
import { pruneOutbox } from '../../src/outbox/outbox-queue.ts';
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

/** No step holds a transaction for longer than a bounded number of rows takes. */
export function describePruningBatches({ useDb }: DatabaseSuite): void {
  it('of outbox and inbox remove no more than a number of rows, and come again for the rest [BX-27]', async () => {
    const db = useDb();
    const { tenantId } = await createPlace(db);
    await db.asTenant(tenantId, async (tx) => {
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
}
