import { Fault } from '@attache/contracts';
import type { Changes, Decision, DeliveryMessage } from '@attache/domain';
import { currentTrace, currentTraceId } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import { runStatement } from '../connection/run-statement.ts';
import type { Announced, Database, Tx } from '../database.ts';
import { preparedMessageIdOf } from '../outbox/outbox-writer.ts';
import { delivery } from '../schema.ts';
import { toEventRows } from '../session/append-events.ts';
import type { Fence } from '../session/fence.ts';

export type Conditions = {
  /** The decision counts only while this incarnation owns the session. */
  fence?: Fence | undefined;
  /** The event that it handles: it is handled once. */
  handledEventId?: string | undefined;
};

type StepOutcome = { outcome: 'moved' | 'stale' | 'ownership-lost'; owner?: string | null };

/**
 * Does all that was decided in one round trip. False: someone moved the delivery first. Under a fence it may be repeated after a lost answer;
 * throws `OWNERSHIP_LOST` for a lower epoch.
 */
export async function applyDecision(
  db: Database,
  decision: Decision,
  { fence, handledEventId }: Conditions = {},
): Promise<boolean> {
  const { move, events } = decision;
  const rows = toOutboxRows(decision);
  const parameters = JSON.stringify({
    ...toParameters(decision, rows, db.fallbackMs),
    fence,
    ...(handledEventId ? { handled: { eventId: handledEventId, consumer: move.service } } : {}),
    settles: handledEventId ?? settledBy(decision),
    events: JSON.parse(toEventRows(events)),
  });
  const { outcome } = await db.call<StepOutcome>(sql`select attache_step_delivery(${parameters}::jsonb)`, {
    doorbells: [`log:${move.from.sessionId}`],
    announce: ({ outcome, owner }) => (outcome === 'moved' ? rows.map((row) => ({ ...row, owner })) : []),
    tenantId: move.from.tenantId,
  });
  if (outcome === 'ownership-lost') throw ownershipLost();
  return outcome === 'moved';
}

/**
 * Does what was decided inside a transaction, in one statement, but for its events: the caller appends them as the last thing that it does, after
 * the rows of all deliveries are locked. False: someone moved the delivery first.
 */
export async function applyInTransaction(tx: Tx, decision: Decision): Promise<boolean> {
  const rows = toOutboxRows(decision);
  const parameters = JSON.stringify(toParameters(decision, rows, tx.fallbackMs));
  const { isMoved, owner } = await runStatement<{ isMoved: boolean; owner: string | null }>(
    tx,
    sql`select jsonb_build_object('isMoved', attache_move_delivery(${parameters}::jsonb),
          'owner', attache_live_owner(${decision.move.from.sessionId}::text))`,
  );
  if (isMoved) tx.announced.push(...rows.map((row) => ({ ...row, owner })));
  return isMoved;
}

export const ownershipLost = (): Fault => new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');

function toParameters({ move }: Decision, rows: readonly Announced[], fallbackMs: number) {
  const { from, to, actor, code, agentStatus } = move;
  const { tenantId, sessionId, deliveryId, agentId, status, attempt } = from;
  return {
    ...{ tenantId, sessionId, deliveryId, agentId, from: status, attempts: attempt, to, actor, code },
    ...(move.isOnlyUnwritten ? { onlyUnwritten: true } : {}),
    ...{ agentStatus: agentStatus?.to, agentWas: agentStatus?.from, traceId: currentTraceId() },
    set: toColumns(move.set),
    messages: rows.map((row) => ({ ...row, fallbackMs })),
  };
}

function toColumns(changes: Changes): Record<string, unknown> {
  const names = Object.keys(changes) as (keyof Changes)[];
  return Object.fromEntries(names.map((name) => [delivery[name].name, changes[name]]));
}

const toOutboxRows = ({ move, messages }: Decision): Announced[] =>
  messages.map((message: DeliveryMessage) => ({
    ...(message as Pick<Announced, 'subject' | 'data'>),
    id:
      message.subject === 'delivery.prepared'
        ? preparedMessageIdOf(message.data.deliveryId, move.from.attempt)
        : uuidV7(),
    trace: currentTrace(),
  }));

/** A claim is what the message of a prepared delivery asks for. */
const settledBy = ({ move: { to, from } }: Decision): string | undefined =>
  to === 'claimed' ? preparedMessageIdOf(from.deliveryId, from.attempt) : undefined;
