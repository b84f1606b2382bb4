import { busDataSchemas, type ConsumerName, type FailureCode, idFromUuid, type Subject } from '@attache/contracts';
import { decideDelivery, decideInspection } from '@attache/domain';
import { sql } from 'drizzle-orm';
import { rejectPending } from '../attachment/attachment-writer.ts';
import { runOrRollBack } from '../connection/run-or-roll-back.ts';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { type DeliveryRow, findDelivery } from '../delivery/delivery-reader.ts';
import { stateOf } from '../delivery/delivery-state.ts';
import { applyInTransaction } from '../delivery/delivery-writer.ts';
import { appendEvents, type NewEvent } from '../session/append-events.ts';

/** A message that is given up. Its data may be anything. */
export type DyingMessage = {
  tenantId: string;
  id: string;
  consumer: ConsumerName;
  subject: string;
  data: unknown;
  /** The emission or the claim that reports; it has no effect if the message has another by now. */
  emission?: number | undefined;
  claim?: number | undefined;
};

/** `isBuried`: false where the message was settled before. `failed`: the delivery that waited for it. */
export type Burial = { isBuried: boolean; failed?: FailedDelivery | undefined };

type FailedDelivery = { delivery: DeliveryRow; code: FailureCode | undefined };

type Ending = { sessionId: string; events: readonly NewEvent[]; failed?: FailedDelivery };

/**
 * Settles a message as dead, with the letter that an operator reads. In the same transaction the delivery that waited for it fails, so
 * that its agent gets the next one, or the attachment is rejected; both name the letter, whose replay takes that back. May be
 * repeated.
 */
export function buryMessage(
  db: Database,
  message: DyingMessage,
  why: { reason: string; attempts: number },
): Promise<Burial> {
  const { tenantId, id, consumer, emission, claim } = message;
  return runOrRollBack<Burial>(db, tenantId, async (tx, rollBack) => {
    const ending = await endWaiting(tx, message);
    const letter = JSON.stringify({ id, consumer, emission, claim, ...why });
    const isBuried = await runStatement<boolean>(tx, sql`select to_jsonb(attache_bury_message(${letter}::jsonb))`);
    // A late word of a consumer that lost its lease changes nothing.
    if (!isBuried) return rollBack({ isBuried });
    if (ending) await appendEvents(tx, ending.sessionId, ending.events);
    return { isBuried, failed: ending?.failed };
  });
}

async function endWaiting(tx: Tx, message: DyingMessage): Promise<Ending | undefined> {
  const subject = message.subject as Subject;
  const parsed = busDataSchemas[subject]?.safeParse(message.data);
  if (!parsed?.success || parsed.data.tenantId !== message.tenantId) return undefined;
  const ids = parsed.data as { deliveryId?: string; attachmentId?: string };
  if (subject === 'attachment.added' && ids.attachmentId) return rejectAttachment(tx, message, ids.attachmentId);
  const isAwaited = subject === 'delivery.queued' || subject === 'delivery.prepared';
  return isAwaited && ids.deliveryId ? failDelivery(tx, message, subject, ids.deliveryId) : undefined;
}

async function failDelivery(
  tx: Tx,
  { id: letterId, consumer }: DyingMessage,
  subject: 'delivery.queued' | 'delivery.prepared',
  deliveryId: string,
): Promise<Ending | undefined> {
  const row = await findDelivery(tx, deliveryId);
  if (!row) return undefined;
  const decision = decideDelivery(stateOf(row), { kind: 'message-died', letterId, subject, consumer });
  if ('refusal' in decision || !(await applyInTransaction(tx, decision))) return undefined;
  const { events, move } = decision;
  return { sessionId: row.sessionId, events, failed: { delivery: row, code: move.code } };
}

async function rejectAttachment(tx: Tx, message: DyingMessage, uuid: string): Promise<Ending | undefined> {
  const { id: letterId, consumer } = message;
  const pending = { id: idFromUuid('attachment', uuid), status: 'pending' } as const;
  const decision = decideInspection(pending, { kind: 'message-died', letterId, consumer });
  if (decision?.to !== 'rejected') return undefined;
  const sessionId = await rejectPending(tx, uuid, decision.failure);
  return sessionId === undefined ? undefined : { sessionId, events: [decision.event] };
}
