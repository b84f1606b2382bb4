import { type Actor, type AgentStatus, type DeliveryStatus, Fault, type Part, type Receipt } from '@attache/contracts';
import { type Held, isAllowedTransition } from '@attache/domain';
import { currentTrace, currentTraceId } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import type { Database } from '../database.ts';
import { type NewEvent, toEventRows } from '../session/append-events.ts';
import type { Fence } from '../session/fence.ts';
import type { DeliveryRow } from './delivery-reader.ts';

/** One move of a delivery with all that belongs to it. */
export type DeliveryStep = {
  row: DeliveryRow;
  to: Extract<DeliveryStatus, 'prepared' | 'claimed' | 'written' | 'responded'>;
  service: 'projector' | 'runner-gateway';
  /** The move counts only while this incarnation owns the session. */
  fence?: Fence | undefined;
  parts?: Part[] | undefined;
  receipt?: Receipt | undefined;
  /** Only if no byte was written yet. */
  onlyUnwritten?: boolean | undefined;
  /** What its agent is from now on; with `from` only where it was that. */
  agentStatus?: { to: AgentStatus; from?: AgentStatus } | undefined;
  /** The event that this move handles: it is handled once. */
  handledEventId?: string | undefined;
  /** Tells the gateway. */
  rings?: 'delivery.prepared' | undefined;
  events: readonly NewEvent[];
};

type StepOutcome = { outcome: 'moved' | 'stale' | 'ownership-lost' };

const ownershipLost = (): Fault => new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');

/**
 * Moves a delivery in one round trip. False: someone moved it first. May be repeated after a lost answer; throws `OWNERSHIP_LOST` for
 * a lower epoch.
 */
export async function stepDelivery(db: Database, step: DeliveryStep): Promise<boolean> {
  const { row, to, service, events, rings } = step;
  if (!isAllowedTransition({ from: row.status, to, actor: service }))
    throw new Error(`${service} may not move a delivery from ${row.status} to ${to}`);
  const actor: Actor = { type: 'service', id: service };
  const parameters = JSON.stringify({
    tenantId: row.tenantId,
    sessionId: row.sessionId,
    deliveryId: row.id,
    from: row.status,
    attempts: row.attempts,
    agentId: row.agentId,
    traceId: currentTraceId(),
    ...{ to, actor, fence: step.fence, parts: step.parts, receipt: step.receipt, agentStatus: step.agentStatus?.to },
    agentWas: step.agentStatus?.from,
    ...(step.onlyUnwritten ? { onlyUnwritten: true } : {}),
    ...(step.handledEventId ? { handled: { eventId: step.handledEventId, consumer: service } } : {}),
    ...(rings ? { outbox: { id: uuidV7(), subject: rings, trace: currentTrace() ?? null } } : {}),
    events: JSON.parse(toEventRows(events)),
  });
  const bells = rings ? ([`log:${row.sessionId}`, `outbox:${rings}`] as const) : ([`log:${row.sessionId}`] as const);
  const { outcome } = await db.call<StepOutcome>(sql`select attache_step_delivery(${parameters}::jsonb)`, bells);
  if (outcome === 'ownership-lost') throw ownershipLost();
  return outcome === 'moved';
}

/** What became of the note that the first byte is about to be written: all but `marked` mean that nothing may be written. */
export type Marked =
  | { outcome: 'marked' | 'stale' | 'target-changed' }
  | { outcome: 'attachment-gone' | 'not-granted'; attachmentId: string };

/** What is about to be written. `held` is what its runtime holds from then on. */
export type WritingFacts = { attachmentIds: readonly string[]; targetVersion: number; held: Held };

/**
 * Notes that the first byte is about to be written, where the delivery is still claimed and the attachments (uuids) that it brings are
 * still there and granted to its agent. `targetVersion` is that of the process that takes it.
 */
export async function markWriting(
  db: Database,
  row: Pick<DeliveryRow, 'tenantId' | 'sessionId' | 'id' | 'attempts' | 'status'>,
  { attachmentIds, targetVersion, held }: WritingFacts,
  fence: Fence,
): Promise<Marked> {
  const parameters = JSON.stringify({
    tenantId: row.tenantId,
    sessionId: row.sessionId,
    deliveryId: row.id,
    attempts: row.attempts,
    // One that the program has refused as part of a turn is written once more.
    status: row.status === 'written' ? row.status : 'claimed',
    attachmentIds,
    targetVersion,
    held,
    fence,
  });
  const marked = await db.call<Marked | { outcome: 'ownership-lost' }>(
    sql`select attache_mark_writing(${parameters}::jsonb)`,
  );
  if (marked.outcome === 'ownership-lost') throw ownershipLost();
  return marked;
}
