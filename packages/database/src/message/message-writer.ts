import type { Actor, DeliveryPlan, TraceContext } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { v4 as uuidV4, v7 as uuidV7 } from 'uuid';
import type { Announced, Database } from '../database.ts';
import type { IdempotencyKey, KeptAnswer } from '../idempotency/idempotency-writer.ts';
import { type NewEvent, orRefusal, toEventRows } from '../session/append-events.ts';

export type NewMessage = {
  tenantId: string;
  sessionId: string;
  messageId: string;
  sender: Actor;
  text: string;
  attachmentIds: readonly string[];
  /** One per agent, with its frozen plan. */
  deliveries: readonly { id: string; agentId: string; targetVersion: number; plan: DeliveryPlan }[];
  /** Naming an attachment in a message to an agent is a grant (SR-28). */
  grants: readonly { id: string; attachmentId: string; agentId: string }[];
  createdAt: string;
  trace?: TraceContext | undefined;
  traceId: string;
  /** `message.accepted` first: its seq orders the deliveries of each agent. */
  events: readonly NewEvent[];
  idempotency?: (IdempotencyKey & KeptAnswer) | undefined;
};

export type AcceptOutcome =
  | { outcome: 'accepted'; seq: number }
  /** `target-changed`: an agent has another target than its plan is for. */
  | { outcome: 'session-ended' | 'agent-gone' | 'target-changed' | 'attachment-gone' };

/** Message, grants, deliveries with their plans, outbox and log events, in one round trip. */
export async function acceptMessage(
  db: Database,
  { events, deliveries, ...message }: NewMessage,
): Promise<AcceptOutcome> {
  const { tenantId, sessionId, trace } = message;
  const named = deliveries.map((delivery) => ({ ...delivery, outboxId: uuidV7() }));
  const parameters = JSON.stringify({
    ...message,
    deliveries: named,
    fallbackMs: db.fallbackMs,
    events: JSON.parse(toEventRows(events)),
  });
  const statement = sql`select attache_accept_message(${parameters}::jsonb)`;
  const queued = named.map(({ id, outboxId }): Announced => {
    return { id: outboxId, subject: 'delivery.queued', data: { tenantId, sessionId, deliveryId: id }, trace };
  });
  const announce = ({ outcome }: AcceptOutcome) => (outcome === 'accepted' ? queued : []);
  return orRefusal(db.call<AcceptOutcome>(statement, { doorbells: [`log:${sessionId}`], announce, tenantId }));
}

/** Random uuid of a new grant. */
export const newGrantId = (): string => uuidV4();
