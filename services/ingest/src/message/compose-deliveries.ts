import type { DeliveryPlan, Part } from '@attache/contracts';
import type { NewDelivery } from '@attache/database';
import { composeWholeAtHand, type Decision, requireDecision } from '@attache/domain';
import type { SentIds } from './compose-sent-events.ts';
import type { PlannedMessage } from './plan-message.ts';

type Place = { tenantId: string; sessionId: string; text: string };

/** The deliveries of a message, one for each agent. Where nothing is to be made for one, it is prepared as it is accepted. */
export function composeDeliveries(place: Place, planned: PlannedMessage, ids: SentIds): NewDelivery[] {
  const attachments = planned.attachments.map(({ attachment }) => attachment);
  return planned.agents.map(({ id: agentId, targetVersion, status }, index) => {
    const plan = planned.plans[index] as DeliveryPlan;
    const id = ids.deliveryIds[index] as string;
    const parts = composeWholeAtHand(place.text, plan, attachments);
    const prepare = parts && decideAtHand(place, { id, agentId, messageId: ids.messageId }, parts);
    return { id, agentId, targetVersion, plan, ...(prepare ? { prepare, isForIdle: status === 'idle' } : {}) };
  });
}

function decideAtHand(
  { tenantId, sessionId }: Place,
  { id: deliveryId, agentId, messageId }: { id: string; agentId: string; messageId: string },
  parts: Part[],
): Decision {
  const state = { tenantId, sessionId, deliveryId, agentId, messageId, attempt: 1, status: 'queued' } as const;
  return requireDecision(state, { kind: 'parts-at-hand', parts });
}
