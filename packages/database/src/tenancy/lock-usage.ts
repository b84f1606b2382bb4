import { sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';

/** How long the bytes of a failed delivery are kept for trying it again, also after its attachment was deleted. */
export const RETRYABLE_FOR_MS = 7 * 24 * 3_600_000;

/**
 * Locks the tenant's row. Whoever changes the state of a blob takes it first, so that states, references and the bytes in use
 * are true together, and nobody waits for another in a circle.
 */
export async function lockUsage(tx: Tx): Promise<void> {
  await tx.execute(sql`select attache_lock_usage()`);
}
