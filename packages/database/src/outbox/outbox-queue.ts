import type { TraceCarrier } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database } from '../database.ts';

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

/** Claims up to `limit` waiting messages, of those that were claimed before up to `again`; hidden from others until the lease ends. */
export async function claimMessages(
  db: Database,
  claim: { subjects: readonly string[]; limit: number; again?: number; leaseMs: number },
): Promise<ClaimedMessage[]> {
  return db.call(sql`select attache_claim_messages(${JSON.stringify({ again: claim.limit, ...claim })}::jsonb)`);
}

/** Keeps claimed messages hidden for `leaseMs` from now, each by the attempt that claimed it: what another one has taken since is left alone. */
export async function extendClaims(
  db: Database,
  claimed: readonly Pick<ClaimedMessage, 'tenantId' | 'id' | 'attempt'>[],
  leaseMs: number,
): Promise<void> {
  const messages = claimed.map(({ tenantId, id, attempt }) => ({ tenantId, id, attempt }));
  await db.call(sql`select attache_extend_claims(${JSON.stringify({ messages, leaseMs })}::jsonb)`);
}

/** Lets the rows of messages that are worked on for a ring wait for `holdMs` from now. */
export async function holdMessages(
  db: Database,
  messages: readonly { tenantId: string; id: string }[],
  holdMs: number,
): Promise<void> {
  const held = messages.map(({ tenantId, id }) => ({ tenantId, id }));
  await db.call(sql`select attache_hold_messages(${JSON.stringify({ messages: held, holdMs })}::jsonb)`);
}

export type Deferral = {
  tenantId: string;
  id: string;
  /** How long it waits; without it twice as long as the last time, from 200 ms to 30 s. */
  delayMs?: number | undefined;
  /** The change to the number of attempts that count. */
  attempts: -1 | 0 | 1;
  /** The emission that a broker brought; the message only waits again if it is the newest. */
  emission?: number | undefined;
  /** The attempt that claimed it; the message only waits again if that one still holds it. */
  claim?: number | undefined;
};

/** Lets a message wait again. Returns for how many milliseconds; null where it was settled or claimed again meanwhile. May be repeated. */
export function deferMessage(db: Database, deferral: Deferral): Promise<number | null> {
  return db.call(sql`select attache_defer_message(${JSON.stringify(deferral)}::jsonb)`);
}

/** Gives back every claim. Only for a process that knows to be alone: the embedded stack at its start. */
export async function releaseClaims(db: Database): Promise<void> {
  await db.asWorker(async (tx) => {
    await tx.execute(sql`update outbox set claimed_until = null where state = 'waiting' and claimed_until is not null`);
  });
}

/**
 * Removes settled messages and inbox rows older than the given age, the oldest first and of each at most `limit`; what waits or is with a broker stays. `removed`
 * counts messages.
 */
export async function pruneOutbox(
  db: Database,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<{ removed: number; isDone: boolean }> {
  const before = new Date(Date.now() - olderThanMs).toISOString();
  return db.asWorker(async (tx) => {
    const handled = await runStatement<number>(
      tx,
      sql`with gone as (delete from inbox where (tenant_id, event_id, consumer) in (
            select tenant_id, event_id, consumer from inbox where handled_at < ${before}::timestamptz order by handled_at limit ${limit}::int) returning 1)
          select to_jsonb(count(*)::int) from gone`,
    );
    const removed = await runStatement<number>(
      tx,
      sql`with gone as (delete from outbox where (tenant_id, id) in (
            select tenant_id, id from outbox where state in ('done', 'dead') and created_at < ${before}::timestamptz order by created_at limit ${limit}::int) returning 1)
          select to_jsonb(count(*)::int) from gone`,
    );
    return { removed, isDone: handled < limit && removed < limit };
  });
}
