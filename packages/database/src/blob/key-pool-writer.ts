import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';

/** Keys that a process reserves for uploads of a tenant before it has them. */
export type PoolFill = {
  tenantId: string;
  /** Blob ids (uuids) and keys, made by the caller. */
  keys: readonly { id: string; key: string }[];
  storeId: string;
  /** Incarnation with whose lease they end. */
  holder?: string | undefined;
  /** The share of the quota that each key holds; less if the free quota is smaller. */
  shareBytes: number;
  /** With less nothing is reserved. */
  leastShareBytes: number;
};

/** Reserves them in one commit, and answers what each holds; null where the quota is too near. */
export async function fillKeyPool(db: Database, fill: PoolFill): Promise<number | null> {
  return db.call(sql`select attache_fill_pool(${JSON.stringify(fill)}::jsonb)`, { tenantId: fill.tenantId });
}

/** Gives back keys under which nothing was written; those that were never reserved are passed over. Returns how many still were. */
export async function releaseKeys(db: Database, tenantId: string, blobIds: readonly string[]): Promise<number> {
  return db.call(sql`select attache_release_keys(${tenantId}::uuid, ${`{${blobIds.join(',')}}`}::uuid[])`, {
    tenantId,
  });
}
