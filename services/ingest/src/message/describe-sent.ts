import {
  type Delivery,
  type DeliveryPlan,
  idFromUuid,
  type Message,
  SCHEMA_VERSION,
  type Transition,
} from '@attache/contracts';
import type { NewDelivery } from '@attache/database';
import { currentTraceId } from '@attache/telemetry';
import type { Caller } from '../caller/caller.ts';
import type { PlannedMessage } from './plan-message.ts';

export type SentMessage = { message: Message; deliveries: Delivery[]; leftOut?: DeliveryPlan[] };

/** The answer to a message that is accepted. */
export function describeSent(
  caller: Caller,
  { sessionId, text, messageId: messageUuid }: { sessionId: string; text: string; messageId: string },
  planned: Pick<PlannedMessage, 'agents' | 'attachments'> & { deliveries: readonly NewDelivery[] },
): SentMessage {
  const createdAt = new Date().toISOString();
  const messageId = idFromUuid('message', messageUuid);
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
  const deliveries = planned.deliveries.map(({ id, plan, prepare }): Delivery => {
    const timeline = describeTimeline(caller, prepare).map((step) => ({ ...step, at: createdAt, attempt: 1, traceId }));
    const { agentId } = plan;
    return {
      id: idFromUuid('delivery', id),
      ...{ messageId, agentId, status: prepare?.move.to ?? 'queued', attempts: 1, plan, traceId, timeline },
      schemaVersion: SCHEMA_VERSION,
    };
  });
  return { message, deliveries };
}

function describeTimeline({ actor }: Caller, prepare: NewDelivery['prepare']): Pick<Transition, 'status' | 'actor'>[] {
  const queued = { status: 'queued', actor } as const;
  return prepare ? [queued, { status: prepare.move.to, actor: prepare.move.actor }] : [queued];
}
