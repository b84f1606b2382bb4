import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

/** JetStream at its barest: a work queue on files, publishes that wait for the broker's word, pull consumers that ack. */
export type WorkQueue = {
  publish(subject: string, messageId: string, text: string): Promise<void>;
  /** Handles messages, at most `concurrency` at once, and acknowledges each when it is handled. */
  consume(
    subject: string,
    concurrency: number,
    handle: (messageId: string, text: string) => Promise<void>,
  ): Promise<void>;
  /** Words that need not arrive: core NATS, as the product's doorbells. */
  ring(subject: string, text: string): void;
  listen(subject: string, hear: (text: string) => void): void;
  close(): Promise<void>;
};

const STREAM = 'FLOOR';

export async function openWorkQueue(natsUrl: string): Promise<WorkQueue> {
  const connection = await connect({ servers: natsUrl });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({
    name: STREAM,
    subjects: ['floor.>'],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
  });
  const client = jetstream(connection);
  return {
    async publish(subject, messageId, text) {
      await client.publish(`floor.${subject}`, `${messageId} ${text}`, { msgID: messageId });
    },
    async consume(subject, concurrency, handle) {
      const name = subject.replaceAll('.', '-');
      await manager.consumers.add(STREAM, {
        durable_name: name,
        ack_policy: AckPolicy.Explicit,
        filter_subject: `floor.${subject}`,
      });
      const messages = await (await client.consumers.get(STREAM, name)).consume({ max_messages: concurrency });
      const inWork = new Set<Promise<void>>();
      for await (const message of messages) {
        const [messageId = '', text = ''] = message.string().split(' ');
        const work = handle(messageId, text).then(() => {
          message.ack();
          inWork.delete(work);
        });
        inWork.add(work);
        if (inWork.size >= concurrency) await Promise.race(inWork);
      }
    },
    ring: (subject, text) => connection.publish(`bell.${subject}`, text),
    listen(subject, hear) {
      connection.subscribe(`bell.${subject}`, { callback: (_, message) => hear(message.string()) });
    },
    close: () => connection.close(),
  };
}
