import { randomUUID } from 'node:crypto';
import type { BusMessage, ConsumerName, Subject } from '@attache/contracts';
import { onTestFinished, vi } from 'vitest';
import type { BusConsumer, NewBusMessage, Settlement } from '../src/event-bus.ts';
import type { OpenedEventBus } from './event-bus-suite.contract.ts';

/** One test's view of the bus: messages of its own tenant, and what came of them. */
export type BusProbe = {
  tenantId: string;
  /** Publishes a message with fitting data; answers its id. */
  publish(given?: Partial<NewBusMessage>): Promise<string>;
  /** Messages that handlers of this probe were given, in order. */
  received: BusMessage[];
  /** Starts a consumer that ends with the test. Messages of other tests are acknowledged unseen. */
  consume(handle: (message: BusMessage) => Promise<Settlement>, options?: ProbeConsumer): BusConsumer;
  /** Waits until this many messages were received. */
  waitForReceived(count: number): Promise<BusMessage[]>;
  /** Waits until this many are dead. */
  waitForDead(count: number): ReturnType<OpenedEventBus['readDead']>;
};

export type ProbeConsumer = { consumer?: ConsumerName; concurrency?: number };

export const ack = async (): Promise<Settlement> => ({ as: 'ack' });

function dataOf(subject: Subject, tenantId: string): NewBusMessage['data'] {
  const ids = { tenantId, sessionId: randomUUID() };
  if (subject === 'attachment.added') return { ...ids, attachmentId: randomUUID() };
  if (subject.startsWith('delivery.')) return { ...ids, deliveryId: randomUUID() };
  if (subject === 'projection.requested') return { ...ids, jobId: randomUUID() };
  return subject === 'agent.removed' ? { ...ids, agentId: randomUUID() } : ids;
}

const WAIT = { timeout: 60_000, interval: 5 };

export function createBusProbe(opened: OpenedEventBus): BusProbe {
  const { bus } = opened;
  const tenantId = randomUUID();
  const received: BusMessage[] = [];
  return {
    tenantId,
    received,
    async publish(given = {}) {
      const subject = given.subject ?? 'attachment.added';
      const message = { id: randomUUID(), subject, data: dataOf(subject, tenantId), ...given };
      await bus.publish(message);
      return message.id;
    },
    consume(handle, { consumer = 'projector', concurrency = 4 } = {}) {
      const handleOwn = async (message: BusMessage): Promise<Settlement> => {
        if (message.data.tenantId !== tenantId) return { as: 'ack' };
        received.push(message);
        return handle(message);
      };
      const running = bus.consume({ consumer, concurrency, handle: handleOwn });
      onTestFinished(() => running.stop());
      return running;
    },
    async waitForReceived(count) {
      await vi.waitUntil(() => received.length >= count, WAIT);
      return received;
    },
    async waitForDead(count) {
      await vi.waitUntil(async () => (await opened.readDead(tenantId)).length >= count, WAIT);
      return opened.readDead(tenantId);
    },
  };
}
