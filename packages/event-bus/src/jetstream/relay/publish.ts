import { busSubjectOf, type Subject } from '@attache/contracts';
import { type Database, markPublished, type RelayMessage, returnClaims } from '@attache/database';
import { type Logger, recordPublished, withSpan } from '@attache/telemetry';
import { jetstream } from '@nats-io/jetstream';
import { createBatch } from '../../outbox/batch-calls.ts';
import { bury } from '../../outbox/bury.ts';
import { formatEnvelope, formatHeaders, messageIdOf } from '../envelope.ts';
import type { JetstreamLink } from '../link.ts';
import { MAX_MESSAGE_BYTES, WORK_STREAM } from '../topology.ts';

// Shorter than a claim: what is not acknowledged by then is given back while it is still ours.
const PUBLISH_TIMEOUT_MS = 5_000;

// Far below a claim's lease. Most are settled by then, and need no mark any more.
const MARK_DELAY_MS = 10;

export type ClaimPublisher = {
  /** Publishes claimed messages and marks those that the broker acknowledged. Returns how many it did not. */
  publish(messages: readonly RelayMessage[]): Promise<number>;
  stop(): void;
};

type Deps = { db: Database; link: JetstreamLink; log: Logger };

export function createPublisher({ db, link, log }: Deps): ClaimPublisher {
  const broker = createBrokerPublish(link);
  const marks = createBatch((messages: readonly RelayMessage[]) => markPublished(db, messages), {
    delayMs: MARK_DELAY_MS,
  });

  const publish = async (message: RelayMessage): Promise<void> => {
    const payload = formatEnvelope(message);
    if (Buffer.byteLength(payload) <= MAX_MESSAGE_BYTES) return broker.publish(message, payload);
    const { attempts } = message;
    await bury({ db, log }, message, { reason: 'larger than a bus message may be', attempts });
  };
  const publishGroup = (subject: string, group: readonly RelayMessage[]) =>
    withSpan(describeGroup(subject, group), async () => {
      const outcomes = await Promise.allSettled(group.map(publish));
      const failed = group.filter((_, index) => outcomes[index]?.status === 'rejected');
      const cause = outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
      if (cause) log.warn({ err: cause, subject, count: failed.length }, 'bus.publish_failed');
      return { failed, published: group.filter((message) => !failed.includes(message)) };
    });
  const publishAll = async (messages: readonly RelayMessage[]) => {
    const groups = Object.entries(Object.groupBy(messages, ({ subject }) => subject));
    const counts = groups.map(async ([subject, group = []]) => {
      const { failed, published } = await publishGroup(subject, group);
      if (published.length > 0) recordPublished({ subject, outcome: 'published', count: published.length });
      if (failed.length > 0) recordPublished({ subject, outcome: 'failed', count: failed.length });
      await Promise.all([...published.map((message) => marks.add(message)), giveBack(db, failed)]).catch((error) => {
        // Neither marked nor given back: the claim ends, and the broker knows what it has.
        log.warn({ err: error, subject }, 'bus.mark_failed');
      });
      return failed.length;
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  return { publish: publishAll, stop: broker.stop };
}

/** Publishes to the broker; what is on its way when the connection is lost fails at once. */
function createBrokerPublish(link: JetstreamLink) {
  const js = jetstream(link.nc, { timeout: PUBLISH_TIMEOUT_MS });
  const underWay = new Set<(error: Error) => void>();
  const stop = link.onDisconnected(() => {
    for (const fail of underWay) fail(new Error('the connection was lost'));
  });
  const publish = async (message: RelayMessage, payload: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    underWay.add(reject);
    const published = js.publish(busSubjectOf(message.subject as Subject), payload, {
      msgID: messageIdOf(message),
      headers: formatHeaders(message.trace),
      expect: { streamName: WORK_STREAM },
    });
    published.then(resolve, reject);
    await promise.finally(() => underWay.delete(reject));
  };
  return { publish, stop };
}

async function giveBack(db: Database, failed: readonly RelayMessage[]): Promise<void> {
  if (failed.length > 0) await returnClaims(db, failed);
}

const describeGroup = (subject: string, group: readonly RelayMessage[]) => ({
  name: `publish ${subject}`,
  kind: 'client' as const,
  parent: 'root' as const,
  links: group.map(({ trace }) => trace ?? undefined),
  attributes: {
    'messaging.system': 'nats',
    'messaging.operation.type': 'send',
    'messaging.destination.name': subject,
    'messaging.batch.message_count': group.length,
  },
});
