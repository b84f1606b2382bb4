import { Fault } from '@attache/contracts';
import type { Changes, Decision, DeliveryMessage } from '@attache/domain';
import { currentTrace, currentTraceId } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Doorbell, Tx } from '../database.ts';
import { delivery } from '../schema.ts';
import { toEventRows } from '../session/append-events.ts';
import type { Fence } from '../session/fence.ts';

export type Conditions = {
  /** The decision counts only while this incarnation owns the session. */
  fence?: Fence | undefined;
  /** The event that it handles: it is handled once. */
  handledEventId?: string | undefined;
};

type StepOutcome = { outcome: 'moved' | 'stale' | 'ownership-lost' };

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
  const parameters = JSON.stringify({
    ...toMoveParameters(decision),
    fence,
    ...(handledEventId ? { handled: { eventId: handledEventId, consumer: move.service } } : {}),
    events: JSON.parse(toEventRows(events)),
  });
  const doorbells = [`log:${move.from.sessionId}`, ...bellsOf(decision)] as const;
  const { outcome } = await db.call<StepOutcome>(sql`select attache_step_delivery(${parameters}::jsonb)`, {
    doorbells,
    tenantId: move.from.tenantId,
  });
  if (outcome === 'ownership-lost') throw ownershipLost();
  return outcome === 'moved';
}

/**
 * Does what was decided inside a transaction, in one statement, but for its events: the caller appends them as the last thing that it does, after
 * the rows of all deliveries are locked. Several decisions follow on one another. False: someone moved the delivery first.
 */
export async function applyInTransaction(tx: Tx, ...decisions: readonly Decision[]): Promise<boolean> {
  const parameters = JSON.stringify(decisions.map(toMoveParameters));
  const isMoved = await runStatement<boolean>(tx, sql`select to_jsonb(attache_move_in_turn(${parameters}::jsonb))`);
  if (isMoved) for (const bell of decisions.flatMap(bellsOf)) tx.doorbells.add(bell);
  return isMoved;
}

export const ownershipLost = (): Fault => new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');

/** A decision without its events, as `attache_move_delivery` takes it. */
export function toMoveParameters({ move, messages }: Decision) {
  const { from, to, actor, code, agentStatus } = move;
  const { tenantId, sessionId, deliveryId, agentId, status, attempt } = from;
  return {
    ...{ tenantId, sessionId, deliveryId, agentId, from: status, attempts: attempt, to, actor, code },
    ...(move.isOnlyUnwritten ? { onlyUnwritten: true } : {}),
    ...{ agentStatus: agentStatus?.to, agentWas: agentStatus?.from, traceId: currentTraceId() },
    set: toColumns(move.set),
    messages: messages.map(toOutboxRow),
  };
}

function toColumns(changes: Changes): Record<string, unknown> {
  const names = Object.keys(changes) as (keyof Changes)[];
  return Object.fromEntries(names.map((name) => [delivery[name].name, changes[name]]));
}

const toOutboxRow = (message: DeliveryMessage) => ({ ...message, id: uuidV7(), trace: currentTrace() });

/** Who is to be woken when its messages stand in the outbox. */
export const bellsOf = ({ messages }: Decision): Doorbell[] =>
  messages.map(({ subject }) => `outbox:${subject}` satisfies Doorbell);
