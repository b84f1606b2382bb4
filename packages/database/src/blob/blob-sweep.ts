import { and, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database } from '../database.ts';
import { blob, tenant } from '../schema.ts';
import { lockUsage } from '../tenancy/lock-usage.ts';

const isNever = and(inArray(blob.state, ['reserved', 'condemned']), isNull(blob.sha256));

export type SweepableBlob = { tenantId: string; id: string; key: string };

/**
 * Up to `limit` blobs of a tenant, in the order of their ids behind `after`, that were made before the given time and never became live: their upload
 * failed, or its process died.
 */
export async function readAbandonedBlobs(
  db: Database,
  tenantId: string,
  { madeBefore, after, limit }: { madeBefore: Date; after?: string | undefined; limit: number },
): Promise<SweepableBlob[]> {
  return db.asTenant(tenantId, (tx) =>
    tx
      .select({ tenantId: blob.tenantId, id: blob.id, key: blob.key })
      .from(blob)
      .where(and(isNever, lt(blob.createdAt, madeBefore), after === undefined ? undefined : gt(blob.id, after)))
      .orderBy(blob.id)
      .limit(limit),
  );
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

/** Tenants with reservations of dead processes, or with ended ones of whose bytes the store was not asked. */
export async function listTenantsWithEndedReservations(db: Database): Promise<string[]> {
  return db.asWorker((tx) =>
    runStatement<string[]>(
      tx,
      sql`select coalesce(jsonb_agg(t), '[]'::jsonb) from attache_tenants_with_ended_reservations() t`,
    ),
  );
}

/** Ends up to 1,000 of a tenant's reservations whose holder's lease has ended. Returns how many. */
export async function endDeadReservations(db: Database, tenantId: string): Promise<number> {
  return db.call(sql`select attache_end_reservations(${tenantId}::uuid)`, { tenantId });
}

/** Up to `limit` reservations that ended at least `agoMs` ago and of whose bytes this store was not asked yet. */
export async function listUnmeasuredBlobs(
  db: Database,
  { tenantId, storeId, agoMs, limit }: { tenantId: string; storeId: string; agoMs: number; limit: number },
): Promise<SweepableBlob[]> {
  return db.asTenant(tenantId, (tx) =>
    tx
      .select({ tenantId: blob.tenantId, id: blob.id, key: blob.key })
      .from(blob)
      .where(
        and(
          ...[eq(blob.state, 'condemned'), isNull(blob.sha256), isNull(blob.sizeBytes), eq(blob.storeId, storeId)],
          sql`${blob.condemnedAt} <= now() - make_interval(secs => ${agoMs}::float8 / 1000)`,
        ),
      )
      .orderBy(blob.id)
      .limit(limit),
  );
}

/** Counts an ended reservation as what the store holds of it. */
export async function recordLeftBytes(db: Database, left: SweepableBlob & { sizeBytes: number }): Promise<void> {
  await db.asTenant(left.tenantId, async (tx) => {
    await lockUsage(tx);
    await tx
      .update(blob)
      .set({ sizeBytes: left.sizeBytes })
      .where(and(eq(blob.id, left.id), eq(blob.state, 'condemned'), isNull(blob.sha256)));
  });
}

/**
 * Frees up to `limit` idempotency keys whose request died with an earlier process. Returns how many. Only for a process that knows to be alone: what was
 * opened since `openedBefore` is its own.
 */
export async function dropDeadIdempotencyKeys(
  db: Database,
  tenantId: string,
  { openedBefore, limit }: { openedBefore: Date; limit: number },
): Promise<number> {
  return db.asTenant(tenantId, (tx) =>
    runStatement<number>(
      tx,
      sql`with gone as (delete from idempotency where (tenant_id, route, session_id, key) in (
            select tenant_id, route, session_id, key from idempotency
              where state = 'in-progress' and created_at <= ${openedBefore.toISOString()}::timestamptz
              order by created_at limit ${limit}::int) returning 1)
          select to_jsonb(count(*)::int) from gone`,
    ),
  );
}

/** Removes at most `limit` idempotency keys whose time has passed, also those in progress. Returns how many. */
export async function dropExpiredIdempotencyKeys(db: Database, tenantId: string, limit: number): Promise<number> {
  return db.asTenant(tenantId, (tx) =>
    runStatement<number>(
      tx,
      sql`with gone as (delete from idempotency where (tenant_id, route, session_id, key) in (
            select tenant_id, route, session_id, key from idempotency where expires_at < now() order by expires_at limit ${limit}::int) returning 1)
          select to_jsonb(count(*)::int) from gone`,
    ),
  );
}
