import type { Failure, Part, ProjectionPlan, TraceContext } from '@attache/contracts';
import { eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '../database.ts';
import { addToOutbox } from '../outbox/outbox-writer.ts';
import { projectionJob } from '../schema.ts';

// The caller waits half a minute.
const KEPT = sql`interval '10 minutes'`;

export type NewProjectionJob = {
  tenantId: string;
  id: string;
  sessionId: string;
  plan: ProjectionPlan;
  trace?: TraceContext | undefined;
};

/** Asks the projector to make what a plan needs. What nobody fetched any more goes at the same time. */
export async function insertProjectionJob(tx: Tx, job: NewProjectionJob): Promise<void> {
  await tx.delete(projectionJob).where(sql`${projectionJob.createdAt} < now() - ${KEPT}`);
  await tx.insert(projectionJob).values(job);
  const { tenantId, sessionId, id } = job;
  await addToOutbox(tx, 'projection.requested', { tenantId, sessionId, jobId: id });
}

export type ProjectionEnd = { state: 'done'; parts: Part[] } | { state: 'failed'; failure: Failure };

/** Ends a job once, and rings for the process that waits. False: it was ended before, or given up. */
export async function settleProjectionJob(
  db: Database,
  job: { tenantId: string; sessionId: string; jobId: string; eventId: string },
  end: ProjectionEnd,
): Promise<boolean> {
  const parameters = JSON.stringify({ ...job, ...end });
  const doorbells = [`log:${job.sessionId}`] as const;
  return db.call(sql`select attache_settle_projection(${parameters}::jsonb)`, { doorbells, tenantId: job.tenantId });
}

/** Removes a job that was fetched or given up. */
export async function deleteProjectionJob(tx: Tx, jobId: string): Promise<void> {
  await tx.delete(projectionJob).where(eq(projectionJob.id, jobId));
}
