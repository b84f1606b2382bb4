import { type BusMessage, Fault } from '@attache/contracts';
import { expect, it, onTestFinished } from 'vitest';
import type { Settlement } from '../src/event-bus.ts';
import { MAX_ATTEMPTS } from '../src/outbox/settle.ts';
import { ack, createBusProbe } from './bus-probe.contract.ts';
import type { EventBusSuite } from './event-bus-suite.contract.ts';

const again: Settlement = { as: 'retry', delayMs: 0 };

/** A failed message comes again or is kept as a dead letter; nothing is lost, and nothing ends the process. */
export function describeBusFailures(suite: EventBusSuite): void {
  describeRepeating(suite);
  describeWaiting(suite);
  describeStopping(suite);
  describeGivingUp(suite);
}

function describeRepeating({ useOpened, openWithLease }: EventBusSuite): void {
  it('brings a message again after the delay that its handler asks for, as the next attempt [W10]', async () => {
    const probe = createBusProbe(useOpened());
    const times: number[] = [];
    probe.consume(async ({ attempt }) => {
      times.push(performance.now());
      return attempt === 1 ? { as: 'retry', delayMs: 40 } : { as: 'ack' };
    });
    const id = await probe.publish();
    await probe.waitForReceived(2);
    expect(probe.received.map((message) => [message.id, message.attempt])).toEqual([
      [id, 1],
      [id, 2],
    ]);
    // The delay is a lower bound, whatever else the machine does.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(39);
  });

  it('brings a message again whose handler threw a retryable fault, or had a bug [W8 W10]', async () => {
    const probe = createBusProbe(useOpened());
    probe.consume(async ({ attempt, subject }) => {
      if (attempt > 1) return { as: 'ack' };
      if (subject === 'attachment.added') throw new Fault('MEDIA_WORKER_FAILED', 'Try again.', { retryable: true });
      throw new TypeError('a bug');
    });
    await probe.publish({ subject: 'attachment.added' });
    await probe.publish({ subject: 'delivery.queued' });
    await probe.waitForReceived(4);
    expect(probe.received.map(({ attempt }) => attempt).toSorted()).toEqual([1, 1, 2, 2]);
    expect(await useOpened().readDead(probe.tenantId)).toEqual([]);
  });

  it('brings a message again when its handler does not settle it in time, whose late word changes nothing [W8]', async () => {
    const opened = await openWithLease(400);
    onTestFinished(() => opened.close());
    const probe = createBusProbe(opened);
    const first = Promise.withResolvers<Settlement>();
    const second = Promise.withResolvers<Settlement>();
    const handle = async ({ subject, attempt }: BusMessage): Promise<Settlement> => {
      if (subject === 'delivery.queued') return { as: 'ack' };
      return attempt === 1 ? first.promise : second.promise;
    };
    const consumers = [probe.consume(handle, { concurrency: 1 }), probe.consume(handle, { concurrency: 1 })];
    const id = await probe.publish();
    await probe.waitForReceived(2);
    expect(probe.received[1]).toMatchObject({ id, attempt: 2 });
    // Another attempt has the message now. The consumer that settled late still gets the next message after it.
    first.resolve({ as: 'term', reason: 'too late' });
    const next = await probe.publish({ subject: 'delivery.queued' });
    await expect.poll(() => probe.received.map((message) => message.id)).toContain(next);
    expect(await opened.readDead(probe.tenantId)).toEqual([]);
    second.resolve({ as: 'ack' });
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    expect(await opened.readDead(probe.tenantId)).toEqual([]);
  });
}

/** If the failure is not the message's fault, the message waits, however often. */
function describeWaiting({ useOpened }: EventBusSuite): void {
  it('brings a message later whose handler cannot take it now, and counts nothing [W10]', async () => {
    const probe = createBusProbe(useOpened());
    const count = 60;
    let left = count;
    probe.consume(async () => {
      left -= 1;
      return left > 0 ? { as: 'later', delayMs: 1 } : { as: 'ack' };
    });
    const id = await probe.publish();
    await probe.waitForReceived(count);
    expect(probe.received.map((message) => [message.id, message.attempt])).toEqual(Array(count).fill([id, 1]));
    expect(await useOpened().readDead(probe.tenantId)).toEqual([]);
  });

  it('counts no outage of the store among its attempts [W10 W14]', async () => {
    const probe = createBusProbe(useOpened());
    let handled = 0;
    probe.consume(async ({ attempt }) => {
      handled += 1;
      if (attempt === MAX_ATTEMPTS) return { as: 'ack' };
      if (handled <= 3) throw new Fault('STORAGE_UNAVAILABLE', 'Try again.', { retryable: true });
      return again;
    });
    await probe.publish();
    await probe.waitForReceived(8);
    expect(probe.received.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 2, 3, 4, 5]);
    expect(await useOpened().readDead(probe.tenantId)).toEqual([]);
  });
}

/** Consumers that stop amid a message, one after the other, more often than it is tried. */
function describeStopping({ useOpened }: EventBusSuite): void {
  it('brings a message whose consumers gave it up at their stop to the next one, at its first attempt [W10]', async () => {
    const probe = createBusProbe(useOpened());
    const id = await probe.publish();
    for (let stops = 1; stops <= MAX_ATTEMPTS + 1; stops += 1) {
      const stopping = Promise.withResolvers<never>();
      const consumer = probe.consume(() => stopping.promise);
      await probe.waitForReceived(stops);
      const stopped = consumer.stop();
      stopping.reject(new Fault('SHUTTING_DOWN', 'Try again.', { retryable: true }));
      await stopped;
    }
    probe.consume(ack);
    await probe.waitForReceived(MAX_ATTEMPTS + 2);
    const expected = Array(MAX_ATTEMPTS + 2).fill([id, 1]);
    expect(probe.received.map((message) => [message.id, message.attempt])).toEqual(expected);
    expect(await useOpened().readDead(probe.tenantId)).toEqual([]);
  });
}

function describeGivingUp({ useOpened, openWithLease }: EventBusSuite): void {
  it('gives up a message whose handlers never end, after five of them [W10]', async () => {
    const opened = await openWithLease(80);
    onTestFinished(() => opened.close());
    const probe = createBusProbe(opened);
    const { promise: released, resolve: release } = Promise.withResolvers<Settlement>();
    // With fewer places than it has attempts: each hung handler gives its own up.
    probe.consume(() => released, { concurrency: 2 });
    onTestFinished(() => release({ as: 'ack' }));
    const id = await probe.publish();
    const dead = await probe.waitForDead(1);
    expect(dead).toEqual([{ id, consumer: 'projector', reason: 'not settled in 5 attempts', attempts: 5 }]);
    expect(probe.received.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  });

  it('keeps a message as a dead letter at once when trying again cannot help, with the code as reason [W10]', async () => {
    const probe = createBusProbe(useOpened());
    probe.consume(async () => {
      throw new Fault('INVALID_REQUEST', 'secret-looking content of a person');
    });
    const id = await probe.publish();
    const dead = await probe.waitForDead(1);
    expect(dead).toEqual([{ id, consumer: 'projector', reason: 'INVALID_REQUEST', attempts: 1 }]);
    expect(probe.received).toHaveLength(1);
  });

  it('keeps it with the reason that the handler gives [W10]', async () => {
    const probe = createBusProbe(useOpened());
    probe.consume(async () => ({ as: 'term', reason: 'no such row' }));
    const id = await probe.publish();
    expect(await probe.waitForDead(1)).toMatchObject([{ id, reason: 'no such row' }]);
  });

  it('gives up at the fifth failed attempt, and does not bring it again [W10]', async () => {
    const probe = createBusProbe(useOpened());
    probe.consume(async ({ attempt }) => {
      // Without their backoff, the earlier failures would take seconds.
      if (attempt < MAX_ATTEMPTS) return again;
      throw new Fault('MEDIA_WORKER_FAILED', 'Try again.', { retryable: true });
    });
    const id = await probe.publish();
    const dead = await probe.waitForDead(1);
    expect(dead).toEqual([{ id, consumer: 'projector', reason: 'MEDIA_WORKER_FAILED after 5 attempts', attempts: 5 }]);
    expect(probe.received.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  });

  it('keeps data that does not fit its subject as a dead letter, unseen by the handler, and continues [W10]', async () => {
    const probe = createBusProbe(useOpened());
    probe.consume(ack);
    const { tenantId } = probe;
    const malformed = await probe.publish({ data: { tenantId, sessionId: 'no uuid', attachmentId: '*.>' } });
    const good = await probe.publish();
    await probe.waitForReceived(1);
    const dead = await probe.waitForDead(1);
    expect(dead).toMatchObject([{ id: malformed, reason: 'data does not fit the subject' }]);
    expect(probe.received.map(({ id }) => id)).toEqual([good]);
  });
}
