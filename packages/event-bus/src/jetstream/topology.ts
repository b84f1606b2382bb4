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

/** A bus message is ids alone. */
export const MAX_MESSAGE_BYTES = 64 * 1024;
/** How long the broker knows a message id. */
const DUPLICATE_WINDOW_MS = 2 * 60_000;

// Raised with every change below: a process of an older release leaves a newer topology as it is.
export const TOPOLOGY_VERSION = 2;
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
    // The broker's own word of each message that was given up, for who reads there and not in the database.
    subjects: [`$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.${WORK_STREAM}.>`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_bytes: 32 * MIB,
    max_age: nanos(30 * DAY_MS),
    metadata,
  },
];

const MAX_ACK_PENDING: Record<ConsumerName, number> = { projector: 1000, 'runner-gateway': 4000 };

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
    // Without a last delivery: attempts are counted in the outbox, which knows an outage from a failure.
    const bounds = { max_deliver: -1, max_ack_pending: MAX_ACK_PENDING[name] };
    const config = { ...pull(name, ackWaitMs), ...bounds, filter_subject: `${busPrefixOf(name)}.>` };
    consumers.push({ stream: WORK_STREAM, config });
  }
  return consumers;
}
