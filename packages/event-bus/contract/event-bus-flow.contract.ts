import { type ConsumerName, type Subject, subjects, subjectsOfConsumer } from '@attache/contracts';
import { expect, it } from 'vitest';
import type { Settlement } from '../src/event-bus.ts';
import { ack, createBusProbe } from './bus-probe.contract.ts';
import type { EventBusSuite } from './event-bus-suite.contract.ts';

/** A gate that handlers wait at. */
function createGate(): { open(): void; passed: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, passed: promise };
}

/** Messages reach their consumer once, whenever it is there. */
export function describeBusFlow(suite: EventBusSuite): void {
  describeHandling(suite);
  describeStopping(suite);
}

function describeHandling({ useOpened }: EventBusSuite): void {
  it('brings a message once, with its id, data and trace, as the first attempt [BX-12]', async () => {
    const probe = createBusProbe(useOpened());
    probe.consume(ack);
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' };
    const data = { tenantId: probe.tenantId, sessionId: crypto.randomUUID(), attachmentId: crypto.randomUUID() };
    const id = await probe.publish({ trace, data });
    const second = await probe.publish();
    await probe.waitForReceived(2);
    // Several are handled at once: which of them begins first is open.
    const received = (messageId: string) => probe.received.filter((message) => message.id === messageId);
    // It also gets the span in which it was received, where the process traces.
    const firsts = received(id).map(({ receivedIn: _span, ...message }) => message);
    expect(firsts).toEqual([{ id, subject: 'attachment.added', data, trace, attempt: 1 }]);
    expect(received(second)).toMatchObject([{ trace: undefined }]);
    expect(await useOpened().readDead(probe.tenantId)).toEqual([]);
  });

  it('keeps what is published while no consumer is there', async () => {
    const probe = createBusProbe(useOpened());
    const published = [await probe.publish(), await probe.publish(), await probe.publish()];
    probe.consume(ack);
    await probe.waitForReceived(3);
    expect(probe.received.map(({ id }) => id).toSorted()).toEqual(published.toSorted());
  });

  it('gives each consumer its own subjects, all of them and no others', async () => {
    const probe = createBusProbe(useOpened());
    const seen: [ConsumerName, Subject][] = [];
    const consumers = Object.keys(subjectsOfConsumer) as ConsumerName[];
    for (const consumer of consumers) {
      probe.consume(
        async ({ subject }) => {
          seen.push([consumer, subject]);
          return { as: 'ack' };
        },
        { consumer },
      );
    }
    const expected = consumers.flatMap((consumer) =>
      subjectsOfConsumer[consumer].map((subject) => [consumer, subject]),
    );
    for (const subject of subjects) await probe.publish({ subject });
    await probe.waitForReceived(subjects.length);
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });

  it('has no more in work at once than the consumer asks for, and gets through all [W11]', async () => {
    const probe = createBusProbe(useOpened());
    let inWork = 0;
    let most = 0;
    const handle = async (): Promise<Settlement> => {
      inWork += 1;
      most = Math.max(most, inWork);
      await new Promise((resolve) => setTimeout(resolve, 2));
      inWork -= 1;
      return { as: 'ack' };
    };
    for (let count = 0; count < 9; count += 1) await probe.publish();
    probe.consume(handle, { concurrency: 2 });
    await probe.waitForReceived(9);
    expect(most).toBe(2);
  });

  it('shares the messages of one consumer among its processes, each to one', async () => {
    const probe = createBusProbe(useOpened());
    probe.consume(ack, { concurrency: 1 });
    probe.consume(ack, { concurrency: 1 });
    const published: string[] = [];
    for (let count = 0; count < 8; count += 1) published.push(await probe.publish());
    await probe.waitForReceived(8);
    expect(probe.received.map(({ id }) => id).toSorted()).toEqual(published.toSorted());
  });
}

function describeStopping({ useOpened }: EventBusSuite): void {
  it('waits at a stop for what is in work, and takes no more; the rest comes to the next', async () => {
    const probe = createBusProbe(useOpened());
    const gate = createGate();
    let isSettled = false;
    const consumer = probe.consume(
      async () => {
        await gate.passed;
        isSettled = true;
        return { as: 'ack' };
      },
      { concurrency: 1 },
    );
    const published = [await probe.publish(), await probe.publish()];
    await probe.waitForReceived(1);
    const stopped = consumer.stop();
    expect(await Promise.race([stopped.then(() => 'stopped'), Promise.resolve('waiting')])).toBe('waiting');
    gate.open();
    await stopped;
    expect(isSettled).toBe(true);
    expect(probe.received).toHaveLength(1);
    probe.consume(ack);
    await probe.waitForReceived(2);
    // Which of two sessions' messages comes first is not promised.
    expect(probe.received.map(({ id, attempt }) => [id, attempt]).toSorted()).toEqual(
      published.map((id) => [id, 1]).toSorted(),
    );
  });

  it('brings nothing again that was settled before a stop', async () => {
    const probe = createBusProbe(useOpened());
    const consumer = probe.consume(ack);
    await probe.publish();
    await probe.waitForReceived(1);
    await consumer.stop();
    probe.consume(ack);
    await probe.publish();
    await probe.waitForReceived(2);
    expect(new Set(probe.received.map(({ id }) => id)).size).toBe(2);
  });

  it('is ready', async () => {
    await expect
      .poll(() =>
        useOpened()
          .bus.checkReady()
          .then(() => 'ready', String),
      )
      .toBe('ready');
  });
}
