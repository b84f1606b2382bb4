import type { DeliveryState } from '@attache/domain';
import type { DeliveryRow } from './delivery-reader.ts';

/** The state of a delivery, read from its row, from which the next step is decided. */
export function stateOf(row: DeliveryRow): DeliveryState {
  const { tenantId, sessionId, id: deliveryId, messageId, agentId, attempts: attempt } = row;
  const identity = { tenantId, sessionId, deliveryId, messageId, agentId, attempt };
  const { status, writingAt, failure, held, leftBefore } = row;
  switch (status) {
    case 'claimed':
      return { ...identity, status, isBegun: writingAt !== null };
    case 'failed':
      return { ...identity, status, failure, left: { begunAt: writingAt, held, leftBefore } };
    default:
      return { ...identity, status };
  }
}
