import { type Delivery, type DeliveryPlan, idFromUuid, type Message, SCHEMA_VERSION } from '@attache/contracts';
import { currentTraceId } from '@attache/telemetry';
import type { Caller } from '../caller/caller.ts';
import type { SentIds } from './compose-sent-events.ts';
import type { PlannedMessage } from './plan-message.ts';

export type SentMessage = { message: Message; deliveries: Delivery[]; leftOut?: DeliveryPlan[] };

/** The answer to a message that is accepted. */
export function describeSent(
  caller: Caller,
  sessionId: string,
  text: string,
  planned: PlannedMessage,
  ids: SentIds,
): SentMessage {
  const createdAt = new Date().toISOString();
  const messageId = idFromUuid('message', ids.messageId);
  const traceId = currentTraceId();
  const message: Message = {
    id: messageId,
    sessionId: idFromUuid('session', sessionId),
    to: planned.agents.map((agent) => idFromUuid('agent', agent.id)),
    text,
    attachmentIds: planned.attachments.map(({ attachment }) => attachment.id),
    createdAt,
    schemaVersion: SCHEMA_VERSION,
  };
  const deliveries = planned.plans.map(
    (plan, index): Delivery => ({
      id: idFromUuid('delivery', ids.deliveryIds[index] as string),
      messageId,
      agentId: plan.agentId,
      status: 'queued',
      attempts: 1,
      plan,
      traceId,
      timeline: [{ at: createdAt, status: 'queued', actor: caller.actor, attempt: 1, traceId }],
      schemaVersion: SCHEMA_VERSION,
    }),
  );
  return { message, deliveries };
}
