import { busPrefixOf, type ConsumerName, type PublisherName, subjectsOfConsumer } from '@attache/contracts';
import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';

export const WORK_STREAM = 'ATTACHE_WORK';
export const ADVISORY_STREAM = 'ATTACHE_ADVISORIES';
export const ADVISORY_CONSUMER = 'dead-letters';
/** The service that keeps dead letters. */
export const ADVISORY_SERVICE = 'projector';

/** A bus message is ids alone. */
export const MAX_MESSAGE_BYTES = 64 * 1024;
/** How long the broker knows a message id. */
export const DUPLICATE_WINDOW_MS = 2 * 60_000;

// Raised with every change below: a process of an older release leaves a newer topology as it is.
export const TOPOLOGY_VERSION = 1;
export const VERSION_KEY = 'attache.topology';
const metadata = { [VERSION_KEY]: String(TOPOLOGY_VERSION) };

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
/** After how long a message of a process that died comes again. */
export const ACK_WAIT_MS = 10_000;

export type StreamSpec = Partial<StreamConfig> & { name: string };

export const streams: readonly StreamSpec[] = [
  {
    name: WORK_STREAM,
    subjects: ['attache.work.>'],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    // Refused, never dropped: what does not fit waits in the outbox.
    discard: DiscardPolicy.New,
    max_bytes: 256 * MIB,
    max_msg_size: MAX_MESSAGE_BYTES,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    metadata,
  },
  {
    name: ADVISORY_STREAM,
    subjects: [
      `$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${WORK_STREAM}.>`,
      `$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.${WORK_STREAM}.>`,
    ],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_bytes: 32 * MIB,
    max_age: nanos(30 * DAY_MS),
    metadata,
  },
];

/**
 * How often the broker brings a message that is never settled, at most. Faults are given up earlier, by `maxAttempts`; outages of a
 * server are waited for almost as long, and a gateway's message also comes again while another replica owns its session.
 */
export const deliveries: Record<ConsumerName, { maxDeliver: number; maxAttempts: number; maxAckPending: number }> = {
  projector: { maxDeliver: 30, maxAttempts: 5, maxAckPending: 1000 },
  'runner-gateway': { maxDeliver: 240, maxAttempts: 30, maxAckPending: 4000 },
};

export type ConsumerSpec = Partial<ConsumerConfig> & { durable_name: string };

const pull = (name: string, ackWaitMs: number): ConsumerSpec => ({
  durable_name: name,
  name,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  replay_policy: ReplayPolicy.Instant,
  ack_wait: nanos(ackWaitMs),
  metadata,
});

/** The consumers that a service uses, each with its stream. */
export function consumersOf(
  service: PublisherName,
  ackWaitMs = ACK_WAIT_MS,
): { stream: string; config: ConsumerSpec }[] {
  const consumers: { stream: string; config: ConsumerSpec }[] = [];
  if (service in subjectsOfConsumer) {
    const name = service as ConsumerName;
    const { maxDeliver, maxAckPending } = deliveries[name];
    const bounds = { max_deliver: maxDeliver, max_ack_pending: maxAckPending };
    const config = { ...pull(name, ackWaitMs), ...bounds, filter_subject: `${busPrefixOf(name)}.>` };
    consumers.push({ stream: WORK_STREAM, config });
  }
  if (service === ADVISORY_SERVICE)
    consumers.push({ stream: ADVISORY_STREAM, config: pull(ADVISORY_CONSUMER, ackWaitMs) });
  return consumers;
}
