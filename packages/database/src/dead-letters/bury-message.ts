import { busDataSchemas, type ConsumerName, type Failure, idFromUuid, type Subject } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { rejectPending } from '../attachment/attachment-writer.ts';
import { runOrRollBack } from '../connection/run-or-roll-back.ts';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { type DeliveryRow, findDelivery } from '../delivery/delivery-reader.ts';
import { deliveryEventData, moveDelivery } from '../delivery/delivery-writer.ts';
import { addToOutbox } from '../outbox/outbox-writer.ts';
import { appendEvents, type NewEvent } from '../session/append-events.ts';

/** A message that is given up. Its data may be anything. */
export type DyingMessage = {
  tenantId: string;
  id: string;
  consumer: ConsumerName;
  subject: string;
  data: unknown;
  /** The emission or the claim that speaks; it says nothing where the message has another by now. */
  emission?: number | undefined;
  claim?: number | undefined;
};

/** What failed or was rejected because its message died. */
export type Ended =
  | { delivery: DeliveryRow; failure: Failure; attachmentId?: never }
  | { attachmentId: string; failure: Failure; delivery?: never };

/** `isBuried`: false where the message was settled before. */
export type Burial = { isBuried: boolean; ended?: Ended | undefined };

type Ending = Ended & { sessionId: string; event: NewEvent };

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
    if (ending) await appendEvents(tx, ending.sessionId, [ending.event]);
    return { isBuried, ended: ending };
  });
}

async function endWaiting(tx: Tx, message: DyingMessage): Promise<Ending | undefined> {
  const subject = message.subject as Subject;
  const parsed = busDataSchemas[subject]?.safeParse(message.data);
  if (!parsed?.success || parsed.data.tenantId !== message.tenantId) return undefined;
  const ids = parsed.data as { deliveryId?: string; attachmentId?: string };
  if (subject === 'attachment.added' && ids.attachmentId) return rejectAttachment(tx, message, ids.attachmentId);
  const status = statusOf[subject];
  return status && ids.deliveryId ? failDelivery(tx, message, status, ids.deliveryId) : undefined;
}

/** In which status a delivery waits for a message. */
const statusOf: Partial<Record<Subject, DeliveryRow['status']>> = {
  'delivery.queued': 'queued',
  'delivery.prepared': 'prepared',
};

async function failDelivery(
  tx: Tx,
  { id, consumer }: DyingMessage,
  status: DeliveryRow['status'],
  deliveryId: string,
): Promise<Ending | undefined> {
  const row = await findDelivery(tx, deliveryId);
  if (row?.status !== status) return undefined;
  const { tenantId, sessionId, agentId } = row;
  const failure: Failure = {
    code: 'delivery_runtime_transport_failed',
    severity: 'error',
    userMessage:
      'The delivery failed on our side before anything was sent. Retry it; if it stays, report its trace id.',
    diagnostic: 'its bus message was given up',
    retryable: true,
    safeDetails: { deadLetter: id },
  };
  const move = { to: 'failed', service: consumer, code: failure.code, set: { failure } } as const;
  if (!(await moveDelivery(tx, row, move))) return undefined;
  await addToOutbox(tx, 'delivery.stopped', { tenantId, sessionId, deliveryId, agentId });
  const data = { ...deliveryEventData(row), failure };
  return { delivery: row, failure, sessionId, event: { kind: 'delivery.failed', actor: actorOf(consumer), data } };
}

async function rejectAttachment(tx: Tx, { id, consumer }: DyingMessage, uuid: string): Promise<Ending | undefined> {
  const attachmentId = idFromUuid('attachment', uuid);
  const failure: Failure = {
    code: 'attachment_pending',
    severity: 'error',
    attachmentId,
    userMessage:
      'The inspection of this file failed on our side. Upload the file again; if it stays, tell the operator.',
    diagnostic: 'its bus message was given up',
    retryable: true,
    safeDetails: { deadLetter: id },
  };
  const sessionId = await rejectPending(tx, uuid, failure);
  if (sessionId === undefined) return undefined;
  const event: NewEvent = { kind: 'attachment.rejected', actor: actorOf(consumer), data: { attachmentId, failure } };
  return { attachmentId, failure, sessionId, event };
}

const actorOf = (consumer: ConsumerName) => ({ type: 'service', id: consumer }) as const;
