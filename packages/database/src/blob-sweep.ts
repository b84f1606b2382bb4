import { and, eq, lt, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { runStatement } from './run-statement.ts';
import { blob, tenant } from './schema.ts';

export type SweepableBlob = { tenantId: string; id: string; key: string };

/** Blobs that were reserved before the given time and never became live: their writer died. */
export async function readAbandonedBlobs(db: Database, reservedBefore: Date): Promise<SweepableBlob[]> {
  const before = reservedBefore.toISOString();
  const tenants = await db.asWorker((tx) =>
    runStatement<string[]>(
      tx,
      sql`select coalesce(jsonb_agg(t), '[]'::jsonb) from attache_tenants_with_unsettled_blobs('reserved', ${before}::timestamptz) t`,
    ),
  );
  const found = await Promise.all(
    tenants.map((tenantId) =>
      db.asTenant(tenantId, (tx) =>
        tx
          .select({ tenantId: blob.tenantId, id: blob.id, key: blob.key })
          .from(blob)
          .where(and(eq(blob.state, 'reserved'), lt(blob.createdAt, reservedBefore))),
      ),
    ),
  );
  return found.flat();
}

/** Gives back the reservation of an abandoned blob, after its bytes are gone. */
export async function settleAbandonedBlob(db: Database, swept: SweepableBlob): Promise<void> {
  await db.asTenant(swept.tenantId, async (tx) => {
    const [gone] = await tx
      .update(blob)
      .set({ state: 'deleted', deletedAt: sql`now()` })
      .where(and(eq(blob.id, swept.id), eq(blob.state, 'reserved')))
      .returning({ reservedBytes: blob.reservedBytes });
    if (!gone) return;
    await tx.update(tenant).set({ reservedBytes: sql`greatest(0, ${tenant.reservedBytes} - ${gone.reservedBytes})` });
  });
}

/** Frees idempotency keys whose request died with an earlier process. Only for a process that knows to be alone. */
export async function dropDeadIdempotencyKeys(db: Database, tenantId: string): Promise<void> {
  await db.asTenant(tenantId, async (tx) => {
    await tx.execute(sql`delete from idempotency where state = 'in-progress'`);
  });
}
