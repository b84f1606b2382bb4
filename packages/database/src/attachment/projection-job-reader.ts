import { eq, sql } from 'drizzle-orm';
import { type JsonRow, rowFromJson } from '../connection/json-row.ts';
import type { Database, Tx } from '../database.ts';
import { projectionJob } from '../schema.ts';

export type ProjectionJobRow = typeof projectionJob.$inferSelect;

/** A job as it is; undefined where it is gone. */
export async function findProjectionJob(tx: Tx, jobId: string): Promise<ProjectionJobRow | undefined> {
  const [row] = await tx.select().from(projectionJob).where(eq(projectionJob.id, jobId));
  return row;
}

/** A job that still waits, in one round trip; undefined where it was done or given up. */
export async function readWaitingProjection(
  db: Database,
  { tenantId, jobId }: { tenantId: string; jobId: string },
): Promise<ProjectionJobRow | undefined> {
  const found = await db.call<{ row: JsonRow } | null>(
    sql`select attache_read_projection(${tenantId}::uuid, ${jobId}::uuid)`,
    { tenantId },
  );
  return found ? rowFromJson(projectionJob, found.row) : undefined;
}
