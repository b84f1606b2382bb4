import { sql } from 'drizzle-orm';
import type { Database, Tx } from '../database.ts';
import { tenantOrigin } from '../schema.ts';

/** All origins of the transaction's tenant, sorted: alike in every collation. */
export async function listOrigins(tx: Tx): Promise<string[]> {
  const rows = await tx.select({ origin: tenantOrigin.origin }).from(tenantOrigin);
  return rows.map(({ origin }) => origin).toSorted();
}

/** Whether an origin is one of this tenant's; without a tenant, whether it is one of any tenant that is not suspended. One round trip. */
export async function isOriginAllowed(db: Database, origin: string, tenantId?: string): Promise<boolean> {
  return db.call(sql`select attache_find_origin(${tenantId ?? null}::uuid, ${origin}::text)`, { tenantId });
}
