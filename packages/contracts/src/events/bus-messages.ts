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
  /** Someone who calls a model API waits for its parts. */
  'projection.requested': z.object({ ...inSession, jobId: uuid }),
  'delivery.prepared': z.object({ ...inSession, deliveryId: uuid, agentId: uuid.optional() }),
  /** Failed or cancelled before a gateway had it: the agent's next delivery may start. */
  'delivery.stopped': z.object({ ...inSession, deliveryId: uuid, agentId: uuid.optional() }),
  /** Its turn is to be interrupted. */
  'delivery.interrupted': z.object({ ...inSession, deliveryId: uuid }),
  'agent.removed': z.object({ ...inSession, agentId: uuid }),
  'session.ended': z.object(inSession),
} as const;

export type Subject = keyof typeof busDataSchemas;
export type BusData<S extends Subject> = z.infer<(typeof busDataSchemas)[S]>;
export const subjects = Object.keys(busDataSchemas) as Subject[];

/** A subject belongs to exactly one consumer, so that one row of the outbox can represent its delivery. */
export const subjectsOfConsumer = {
  projector: ['attachment.added', 'delivery.queued', 'projection.requested'],
  'runner-gateway': ['delivery.prepared', 'delivery.stopped', 'delivery.interrupted', 'agent.removed', 'session.ended'],
} as const satisfies Record<string, readonly Subject[]>;

export type ConsumerName = keyof typeof subjectsOfConsumer;

/** The subjects that each service puts into the outbox, and so may publish. A subject may have several publishers. */
export const subjectsOfPublisher = {
  ingest: [
    'attachment.added',
    'delivery.queued',
    'projection.requested',
    // If nothing has to be created.
    'delivery.prepared',
    'delivery.stopped',
    'delivery.interrupted',
    'agent.removed',
    'session.ended',
  ],
  projector: ['delivery.prepared', 'delivery.stopped'],
  // A file that an agent creates is an attachment too.
  'runner-gateway': ['attachment.added'],
} as const satisfies Record<string, readonly Subject[]>;

export type PublisherName = keyof typeof subjectsOfPublisher;

/** The one consumer of a subject. */
export function consumerOfSubject(subject: Subject): ConsumerName {
  const projected: readonly Subject[] = subjectsOfConsumer.projector;
  return projected.includes(subject) ? 'projector' : 'runner-gateway';
}

/** The prefix of every broker subject of a consumer's messages. */
export const busPrefixOf = (consumer: ConsumerName): string => `attache.work.${consumer}`;

/** The broker's name of a subject. No id is part of it. */
export const busSubjectOf = (subject: Subject): string => `${busPrefixOf(consumerOfSubject(subject))}.${subject}`;

/** Wakes the relays: room was made for a message that waits. */
export const RELAY_BELL_SUBJECT = 'attache.bell.relay';

/** Wakes the gateways: sessions have lost their owner, and wait for another one. */
export const OWNERS_BELL_SUBJECT = 'attache.bell.owners';

/** The subject on which the processes of ingest share how many requests they have admitted. */
export const REQUEST_COUNTS_SUBJECT = 'attache.counts.requests';

// Broker subjects are paths with wildcards: nothing but a uuid may become a part of one (S28).
function uuidToken(id: string): string {
  if (!uuid.safeParse(id).success) throw new Error('a broker subject is built from a uuid and nothing else');
  return id.toLowerCase();
}

/** The subject of the doorbell for a session log that grew. Throws on an id that is no uuid. */
export const logBellSubjectOf = (sessionId: string): string => `attache.bell.log.${uuidToken(sessionId)}`;

/** The subject for a session's token deltas. Throws on an id that is no uuid. */
export const deltaSubjectOf = (sessionId: string): string => `attache.delta.${uuidToken(sessionId)}`;

/** Live events of a session that another process than its owner's commits. */
export const eventsSubjectOf = (sessionId: string): string => `attache.events.${uuidToken(sessionId)}`;

/** The subject of rings for the projectors. One of them receives each ring. */
export const PROJECTOR_RING_SUBJECT = 'attache.ring.projector';

/** The subject of rings for the gateway that owns a session, by its incarnation. Throws on an id that is no uuid. */
export const ownerRingSubjectOf = (incarnation: string): string =>
  `attache.ring.gateway.owner.${uuidToken(incarnation)}`;

/** The subject of rings for the gateways that may take a session of this tenant. One of them receives each ring. Throws on an id that is no uuid. */
export const tenantRingSubjectOf = (tenantId: string): string => `attache.ring.gateway.tenant.${uuidToken(tenantId)}`;

/** Every subject of rings for the consumers of one name. */
export const ringSubjectsOf = {
  projector: [PROJECTOR_RING_SUBJECT],
  'runner-gateway': ['attache.ring.gateway.owner.*', 'attache.ring.gateway.tenant.*'],
} as const satisfies Record<ConsumerName, readonly string[]>;

/**
 * The message that a consumer receives. `id` is the event id on which the inbox keys; `attempt` counts from 1; `receivedIn` is the span in which it was
 * received, for a link.
 */
export type BusMessage<S extends Subject = Subject> = {
  [K in S]: {
    id: string;
    subject: K;
    data: BusData<K>;
    trace: TraceContext | undefined;
    receivedIn?: TraceContext | undefined;
    attempt: number;
  };
}[S];
