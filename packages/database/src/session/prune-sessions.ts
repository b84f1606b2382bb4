import { sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database } from '../database.ts';
import type { PruneBatch } from '../tenancy/audit-writer.ts';

/**
 * Removes log and timelines of sessions that ended before the given time, in one transaction and no more than `limit` rows. Sessions under a legal hold, and those
 * with a delivery that can still happen, keep theirs. Begins where the batch before ended.
 */
export async function pruneSessions(db: Database, batch: PruneBatch): Promise<{ removed: number; isDone: boolean }> {
  return db.asWorker((tx) => runStatement(tx, sql`select attache_prune_sessions(${JSON.stringify(batch)}::jsonb)`));
}
