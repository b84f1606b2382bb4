import type { Tx } from '../database.ts';
import { tenantOrigin } from '../schema.ts';
import { lockUsage } from './lock-usage.ts';

/** Replaces the tenant's list of origins. Returns the previous one. */
export async function replaceOrigins(tx: Tx, tenantId: string, origins: readonly string[]): Promise<string[]> {
  // Otherwise two lists that are saved at the same time become one.
  await lockUsage(tx);
  const previous = await tx.delete(tenantOrigin).returning({ origin: tenantOrigin.origin });
  if (origins.length > 0) await tx.insert(tenantOrigin).values(origins.map((origin) => ({ tenantId, origin })));
  return previous.map(({ origin }) => origin);
}
