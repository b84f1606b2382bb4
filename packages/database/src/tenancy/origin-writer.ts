import type { Tx } from '../database.ts';
import { tenantOrigin } from '../schema.ts';
import { lockUsage } from './lock-usage.ts';

/** Puts a list of origins in the place of the tenant's list before. */
export async function replaceOrigins(tx: Tx, tenantId: string, origins: readonly string[]): Promise<void> {
  // Two lists that are saved at the same time would else become one.
  await lockUsage(tx);
  await tx.delete(tenantOrigin);
  if (origins.length > 0) await tx.insert(tenantOrigin).values(origins.map((origin) => ({ tenantId, origin })));
}
