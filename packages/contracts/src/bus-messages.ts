import { z } from 'zod';

/** W3C trace context of the span that created a record. Ids only. */
export const traceContextSchema = z.object({ traceparent: z.string(), tracestate: z.string().optional() });
export type TraceContext = z.infer<typeof traceContextSchema>;

const uuid = z.uuid();
const inSession = { tenantId: uuid, sessionId: uuid };

/** Data of every subject: ids only, never content. A receiver re-reads the row. Ids are stored uuids, not public ids. */
export const busDataSchemas = {
  'attachment.added': z.object({ ...inSession, attachmentId: uuid }),
  'delivery.queued': z.object({ ...inSession, deliveryId: uuid }),
  'delivery.prepared': z.object({ ...inSession, deliveryId: uuid }),
  /** Failed or cancelled before a gateway had it: the agent's next delivery may start. */
  'delivery.stopped': z.object({ ...inSession, deliveryId: uuid }),
  /** Its turn is to be interrupted. */
  'delivery.interrupted': z.object({ ...inSession, deliveryId: uuid }),
  'agent.removed': z.object({ ...inSession, agentId: uuid }),
  'session.ended': z.object(inSession),
} as const;

export type Subject = keyof typeof busDataSchemas;
export type BusData<S extends Subject> = z.infer<(typeof busDataSchemas)[S]>;
export const subjects = Object.keys(busDataSchemas) as Subject[];

/** A subject belongs to exactly one consumer, so that one row of the outbox can stand for its delivery. */
export const subjectsOfConsumer = {
  projector: ['attachment.added', 'delivery.queued'],
  'runner-gateway': ['delivery.prepared', 'delivery.stopped', 'delivery.interrupted', 'agent.removed', 'session.ended'],
} as const satisfies Record<string, readonly Subject[]>;

export type ConsumerName = keyof typeof subjectsOfConsumer;

/** What a consumer gets. `id` is the event id on which the inbox keys; `attempt` counts from 1. */
export type BusMessage<S extends Subject = Subject> = {
  [K in S]: { id: string; subject: K; data: BusData<K>; trace: TraceContext | undefined; attempt: number };
}[S];
