import type { Subject } from '@attache/contracts';
import type { TraceCarrier } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';

/** A message that a relay claimed to publish. The same event and emission is the same message to the broker. */
export type RelayMessage = {
  tenantId: string;
  id: string;
  subject: string;
  data: Record<string, string>;
  trace: TraceCarrier | null;
  emission: number;
  /** The earlier attempts that count. */
  attempts: number;
};

export type RelayClaim = {
  messages: RelayMessage[];
  /** More may wait for room in the window of its tenant. */
  isHeld: boolean;
};

/** The messages that wait to be published, and those that are published and unsettled. `oldestMs` is the age of the oldest waiting message; 0 if none waits. */
export type Backlog = { waiting: number; oldestMs: number; published: number };

/**
 * Claims up to `limit` waiting messages, tenants in turn. At most `windowPerTenant` of a tenant and subject are with the broker at a
 * time. A claim that is neither marked nor returned ends after `leaseMs`.
 */
export function claimForRelay(
  db: Database,
  claim: { subjects: readonly Subject[]; limit: number; leaseMs: number; windowPerTenant: number },
): Promise<RelayClaim> {
  return db.call(sql`select attache_relay_claim(${JSON.stringify(claim)}::jsonb)`);
}

type Emitted = Pick<RelayMessage, 'tenantId' | 'id' | 'emission'>;

const toEmitted = (messages: readonly Emitted[]) =>
  JSON.stringify(messages.map(({ tenantId, id, emission }) => ({ tenantId, id, emission })));

/** Marks messages that the broker acknowledged. What is settled by now stays settled. */
export async function markPublished(db: Database, messages: readonly Emitted[]): Promise<void> {
  await db.call(sql`select attache_relay_published(${toEmitted(messages)}::jsonb)`);
}

/** Gives back messages that could not be published. */
export async function returnClaims(db: Database, messages: readonly Emitted[]): Promise<void> {
  await db.call(sql`select attache_relay_return(${toEmitted(messages)}::jsonb)`);
}

/** Says that a consumer still works on a message, so that it does not count as lost. */
export async function touchPublished(db: Database, message: { tenantId: string; id: string }): Promise<void> {
  await db.call(sql`select attache_relay_touch(${JSON.stringify(message)}::jsonb)`);
}

/** Lets messages wait again that were published and not settled within `afterMs`, doubled with every emission. Returns how many. */
export async function reconcileOutbox(
  db: Database,
  lost: { subjects: readonly Subject[]; afterMs: number },
): Promise<number> {
  return Number(await db.call<number>(sql`select attache_relay_reconcile(${JSON.stringify(lost)}::jsonb)`));
}

export async function readBacklog(db: Database, subjects: readonly Subject[]): Promise<Backlog> {
  const list = sql.param(`{${subjects.join(',')}}`);
  const found = await db.call<Backlog>(sql`select attache_relay_backlog(${list}::text[])`);
  return { waiting: Number(found.waiting), oldestMs: Number(found.oldestMs), published: Number(found.published) };
}

/** Settles messages as done. Returns the subjects under which others wait for the room that this makes. */
export function settleDone(db: Database, messages: readonly { tenantId: string; id: string }[]): Promise<Subject[]> {
  return db.call(sql`select attache_settle_many(${JSON.stringify(messages)}::jsonb)`);
}

/**
 * Counts the attempt that begins, where a broker brings a message again whose last one ended without a word. `before` is what had counted
 * when its emission was given out. Returns how many count by now; null where it is settled, or was emitted again.
 */
export function countAttempt(
  db: Database,
  message: { tenantId: string; id: string; emission?: number | undefined; before: number },
): Promise<number | null> {
  return db.call(sql`select attache_count_attempt(${JSON.stringify(message)}::jsonb)`);
}
