import { type ConsumerName, consumerOfSubject, idFromUuid, type Subject } from '@attache/contracts';
import { buryMessage, type Database, type DyingMessage } from '@attache/database';
import { type Logger, logDeliveryMoved, logMessageDead, sinceAccepted } from '@attache/telemetry';

/** Gives a message up, and says so once it is done. `attempts` are those that count. */
export async function bury(
  { db, log }: { db: Database; log: Logger },
  message: Omit<DyingMessage, 'consumer'> & { consumer?: ConsumerName },
  why: { reason: string; attempts: number },
): Promise<void> {
  const { id, subject } = message;
  const consumer = message.consumer ?? consumerOfSubject(subject as Subject);
  const { isBuried, failed } = await buryMessage(db, { ...message, consumer }, why);
  if (isBuried) logMessageDead(log, { subject, eventId: id, ...why });
  if (!failed) return;
  const { delivery, code } = failed;
  const deliveryId = idFromUuid('delivery', delivery.id);
  logDeliveryMoved(log, { deliveryId, status: 'failed', code, sinceAcceptedMs: sinceAccepted(delivery) });
}
