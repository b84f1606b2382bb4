import { Fault } from '@attache/contracts';
import type { Decision } from '@attache/domain';
import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { settledBy, toMoveParameters, toOutboxRows } from '../delivery-move.ts';
import { delivery } from '../schema.ts';
import { toEventRows } from '../session/append-events.ts';
import type { Fence } from '../session/owner/fence.ts';

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
    ...toMoveParameters(decision, rows, db.fallbackMs),
    fence,
    ...(handledEventId ? { handled: { eventId: handledEventId, consumer: move.service } } : {}),
    settles: handledEventId ?? settledBy(decision),
    events: toEventRows(events),
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
 * the rows of all deliveries are locked. Several decisions follow on one another. False: someone moved the delivery first.
 */
export async function applyInTransaction(tx: Tx, ...decisions: readonly Decision[]): Promise<boolean> {
  const [first] = decisions;
  if (!first) return true;
  const rows = decisions.map(toOutboxRows);
  const parameters = JSON.stringify(
    decisions.map((decision, index) => toMoveParameters(decision, rows[index] ?? [], tx.fallbackMs)),
  );
  const { isMoved, owner } = await runStatement<{ isMoved: boolean; owner: string | null }>(
    tx,
    sql`select jsonb_build_object('isMoved', attache_move_in_turn(${parameters}::jsonb),
          'owner', attache_live_owner(${first.move.from.sessionId}::text))`,
  );
  if (isMoved) tx.announced.push(...rows.flat().map((row) => ({ ...row, owner })));
  return isMoved;
}

/** Notes that an agent continues from before the earlier attempts of what waits for it: none of them is in its conversation any more. */
export async function forgetEarlierAttempts(tx: Tx, agentId: string): Promise<void> {
  await tx
    .update(delivery)
    .set({ leftBefore: null })
    .where(
      and(
        eq(delivery.agentId, agentId),
        inArray(delivery.status, ['queued', 'prepared', 'claimed']),
        isNotNull(delivery.leftBefore),
      ),
    );
}

export const ownershipLost = (): Fault => new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');
