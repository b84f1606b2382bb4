import type { TraceCarrier } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { runStatement } from './run-statement.ts';

/** A message claimed from the outbox. */
export type ClaimedMessage = {
  tenantId: string;
  id: string;
  subject: string;
  data: Record<string, string>;
  trace: TraceCarrier | null;
  /** Counts from 1. */
  attempt: number;
};

export type Settlement =
  | { as: 'done' }
  | { as: 'retry'; delayMs: number }
  /** `attempts` where a broker counts them. */
  | { as: 'dead'; reason: string; attempts?: number };

/** Claims up to `limit` waiting messages; hidden from others until the lease ends. */
export async function claimMessages(
  db: Database,
  claim: { subjects: readonly string[]; limit: number; leaseMs: number },
): Promise<ClaimedMessage[]> {
  const subjects = sql.param(`{${claim.subjects.join(',')}}`);
  return db.call(sql`select attache_claim_outbox(${subjects}::text[], ${claim.limit}::int, ${claim.leaseMs}::int)`);
}

/** Settles a claimed message: done, waiting again after a delay, or dead with a dead-letter row. */
export async function settleMessage(
  db: Database,
  message: { tenantId: string; id: string; consumer: string },
  settlement: Settlement,
): Promise<void> {
  const parameters = JSON.stringify({ ...message, ...settlement });
  await db.call(sql`select to_jsonb(attache_settle_outbox(${parameters}::jsonb)::text)`);
}

/** Gives back every claim. Only for a process that knows to be alone: the embedded stack at its start. */
export async function releaseClaims(db: Database): Promise<void> {
  await db.asWorker(async (tx) => {
    await tx.execute(sql`update outbox set claimed_until = null where state = 'waiting' and claimed_until is not null`);
  });
}

/** Removes settled messages and inbox rows older than the given age; what waits or is with a broker stays. Answers how many messages went. */
export async function pruneOutbox(db: Database, olderThanMs: number): Promise<number> {
  const before = new Date(Date.now() - olderThanMs).toISOString();
  return db.asWorker(async (tx) => {
    await tx.execute(sql`delete from inbox where handled_at < ${before}::timestamptz`);
    const removed = await runStatement<number>(
      tx,
      sql`with gone as (delete from outbox where state in ('done', 'dead') and created_at < ${before}::timestamptz returning 1) select to_jsonb(count(*)) from gone`,
    );
    return Number(removed);
  });
}
