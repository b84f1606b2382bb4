import { type EventData, idFromUuid } from '@attache/contracts';
import type { DeliveryMessage } from './delivery-decision.ts';
import type { DeliveryState } from './delivery-state.ts';

/** The data that every event about a delivery contains. */
export function describeState({
  deliveryId,
  messageId,
  agentId,
  attempt,
}: DeliveryState): EventData<'delivery.queued'> {
  return {
    deliveryId: idFromUuid('delivery', deliveryId),
    messageId: idFromUuid('message', messageId),
    agentId: idFromUuid('agent', agentId),
    attempt,
  };
}

/** A message about a delivery. One that wakes the lane of an agent names it. */
export function messageTo(subject: DeliveryMessage['subject'], state: DeliveryState): DeliveryMessage {
  const { tenantId, sessionId, deliveryId, agentId } = state;
  const data = { tenantId, sessionId, deliveryId };
  switch (subject) {
    case 'delivery.queued':
    case 'delivery.interrupted':
      return { subject, data };
    case 'delivery.prepared':
    case 'delivery.stopped':
      return { subject, data: { ...data, agentId } };
    default:
      return subject satisfies never;
  }
}
