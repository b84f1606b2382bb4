import { and, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { lockUsage } from './lock-usage.ts';
import { runStatement } from './run-statement.ts';
import { blob, tenant } from './schema.ts';

const isNever = and(inArray(blob.state, ['reserved', 'condemned']), isNull(blob.sha256));

export type SweepableBlob = { tenantId: string; id: string; key: string };

/** Blobs made before the given time that never became live: their upload failed, or its process died. */
export async function readAbandonedBlobs(db: Database, madeBefore: Date): Promise<SweepableBlob[]> {
  const before = madeBefore.toISOString();
  const tenants = await db.asWorker((tx) =>
    runStatement<string[]>(
      tx,
      sql`select coalesce(jsonb_agg(t), '[]'::jsonb) from attache_tenants_with_abandoned_blobs(${before}::timestamptz) t`,
    ),
  );
  const found = await Promise.all(
    tenants.map((tenantId) =>
      db.asTenant(tenantId, (tx) =>
        tx
          .select({ tenantId: blob.tenantId, id: blob.id, key: blob.key })
          .from(blob)
          .where(and(isNever, lt(blob.createdAt, madeBefore))),
      ),
    ),
  );
  return found.flat();
}

/** Closes the row of an abandoned blob after its bytes are gone, and gives back what it still reserved. */
export async function settleAbandonedBlob(db: Database, swept: { tenantId: string; id: string }): Promise<void> {
  await db.asTenant(swept.tenantId, async (tx) => {
    await lockUsage(tx);
    const [found] = await tx
      .select({ state: blob.state, reservedBytes: blob.reservedBytes })
      .from(blob)
      .where(and(eq(blob.id, swept.id), isNever))
      .for('update');
    if (!found) return;
    await tx.update(blob).set({ state: 'deleted', deletedAt: sql`now()` }).where(eq(blob.id, swept.id));
    if (found.state !== 'reserved') return;
    await tx.update(tenant).set({ reservedBytes: sql`greatest(0, ${tenant.reservedBytes} - ${found.reservedBytes})` });
  });
}

/** Frees idempotency keys whose request died with an earlier process. Only for a process that knows to be alone. */
export async function dropDeadIdempotencyKeys(db: Database, tenantId: string): Promise<void> {
  await db.asTenant(tenantId, async (tx) => {
    await tx.execute(sql`delete from idempotency where state = 'in-progress'`);
  });
}

/** Removes idempotency keys whose time has passed, also those in progress. Answers how many. */
export async function dropExpiredIdempotencyKeys(db: Database, tenantId: string): Promise<number> {
  return db.asTenant(tenantId, (tx) =>
    runStatement<number>(
      tx,
      sql`with gone as (delete from idempotency where expires_at < now() returning 1) select to_jsonb(count(*)::int) from gone`,
    ),
  );
}
