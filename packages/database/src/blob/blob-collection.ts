import { and, eq, isNull, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database } from '../database.ts';
import { blob } from '../schema.ts';
import { lockUsage } from '../tenancy/lock-usage.ts';

/** Age at which a reservation counts as left behind. */
export const RESERVED_FOR_MS = 24 * 3_600_000;

/** Times of one pass of the collection, as ISO strings of the database's clock. */
export type PassTimes = {
  now: string;
  reservedBefore: string;
  condemnedBefore: string;
  confirmedBefore: string;
  retryableSince: string;
};

/** The changes of one step of a pass, real or dry. `doomed` blobs are deleted for every reader; their bytes are still there. */
export type CollectedStep = {
  condemned: number;
  revived: number;
  confirmed: number;
  doomed: number;
  doomedBytes: number;
};

type Step = { tenantId: string; limit: number };

/** Blobs behind `after` and up to `until`, in the order of their ids. */
type Stretch = { after?: string | undefined; until?: string | undefined };

/** The database's own time, to the millisecond. */
export async function readDatabaseTime(db: Database): Promise<Date> {
  return new Date(
    await db.call<number>(sql`select to_jsonb(floor(extract(epoch from clock_timestamp()) * 1000)::float8)`),
  );
}

/** Uuids of up to `limit` tenants, in the order of their ids, after the given one. */
export async function listTenantIds(db: Database, after: string | undefined, limit: number): Promise<string[]> {
  return db.asWorker((tx) =>
    runStatement<string[]>(
      tx,
      sql`select coalesce(jsonb_agg(t), '[]'::jsonb) from attache_tenant_ids_after(${after ?? null}::uuid, ${limit}::int) t`,
    ),
  );
}

/** One page of live blobs behind `after` and up to `until`, in the order of their ids: those that nothing uses, and where the next page starts. */
export async function findUnusedBlobs(
  db: Database,
  step: Step & Stretch & { retryableSince: string },
): Promise<{ unused: string[]; orphanVariants: number; last: string | null; isLastPage: boolean }> {
  return db.call(sql`select attache_find_unused_blobs(${JSON.stringify(step)}::jsonb)`, { tenantId: step.tenantId });
}

/** Condemns those of the live blobs that still nothing uses, and stops counting them as used bytes. */
export async function condemnUnusedBlobs(
  db: Database,
  step: { tenantId: string; blobIds: readonly string[]; now: string; retryableSince: string },
): Promise<{ condemned: number; orphanVariants: number }> {
  return db.call(sql`select attache_condemn_unused(${JSON.stringify(step)}::jsonb)`, { tenantId: step.tenantId });
}

/** One page of reserved and condemned blobs: those that may have a step to take, and where the next page starts. Holds no lock. */
export async function findCollectableBlobs(
  db: Database,
  page: Step & Stretch & PassTimes,
): Promise<{ due: string[]; last: string | null; isLastPage: boolean }> {
  return db.call(sql`select attache_find_collectable(${JSON.stringify(page)}::jsonb)`, { tenantId: page.tenantId });
}

/**
 * Takes those of the blobs one step on that still have one to take: old reservations are condemned, condemned blobs revived by a reference,
 * confirmed, or deleted when an earlier pass confirmed them (W12).
 */
export async function collectBlobRows(
  db: Database,
  step: PassTimes & { tenantId: string; blobIds: readonly string[]; isDryRun: boolean },
): Promise<CollectedStep> {
  return db.call(sql`select attache_collect_found(${JSON.stringify(step)}::jsonb)`, { tenantId: step.tenantId });
}

export type DoomedBlob = { id: string; key: string; sizeBytes: number };

const isDoomed = and(eq(blob.state, 'deleted'), isNull(blob.deletedAt));

/** Up to `limit` blobs of a store that are deleted for every reader and whose bytes may still be there. */
export async function listDoomedBlobs(db: Database, step: Step & { storeId: string }): Promise<DoomedBlob[]> {
  const found = await db.asTenant(step.tenantId, (tx) =>
    tx
      .select({ id: blob.id, key: blob.key, sizeBytes: blob.sizeBytes })
      .from(blob)
      .where(and(isDoomed, eq(blob.storeId, step.storeId)))
      .orderBy(blob.id)
      .limit(step.limit),
  );
  return found.map((row) => ({ ...row, sizeBytes: row.sizeBytes ?? 0 }));
}

/** Closes the rows of blobs whose bytes are gone. */
export async function markBlobsRemoved(db: Database, tenantId: string, blobIds: readonly string[]): Promise<void> {
  const ids = `{${blobIds.join(',')}}`;
  await db.asTenant(tenantId, async (tx) => {
    await lockUsage(tx);
    await tx
      .update(blob)
      .set({ deletedAt: sql`now()` })
      .where(and(isDoomed, sql`${blob.id} = any(${ids}::uuid[])`));
  });
}
