import { holdMessages } from '@attache/database';
import { recordRing } from '@attache/telemetry';
import type { Settlement } from '../../event-bus.ts';
import { keepClaims } from '../../outbox/keep-claims.ts';
import type { ConsumerOptions } from '../consume.ts';
import type { InWork } from '../in-work.ts';
import type { Places } from '../places.ts';
import { runHandler } from '../run-handler.ts';
import type { Ring } from './ring-message.ts';
import { createRingQueue } from './ring-queue.ts';
import { FALLBACK_MS } from './rings.ts';

// Of each tenant enough for all places, twice over; of all together as many as memory does not notice.
const WAITING_PER_PLACE = 2;
const MAX_WAITING = 4_096;

export type TakenRings = {
  /** How many are in work. */
  countInWork(): number;
  /** Where a ring for this message is in work: resolves when that is over, with whether the message is settled. */
  endOf(id: string): Promise<boolean> | undefined;
  stop(): Promise<void>;
};

type RingOptions = ConsumerOptions & { places: Places; inWork: InWork; leaseMs: number; onRoom: () => void };

/**
 * Works on what is rung for: at once, in the places that the broker's messages have too. The row of a message waits for as long as it is worked on. What
 * finds no room, or is given up, the relay brings.
 */
export function takeRings(options: RingOptions): TakenRings {
  const { consume, places, inWork, db, log, leaseMs, rings } = options;
  const queue = createRingQueue<Ring>({
    ...{ maxPerTenant: WAITING_PER_PLACE * consume.concurrency, maxRings: MAX_WAITING, maxAgeMs: FALLBACK_MS },
  });
  const work = new Map<string, Promise<boolean>>();
  const held = keepClaims<Ring>({
    ...{ claimMs: FALLBACK_MS, leaseMs, sinceMs: FALLBACK_MS / 3 },
    extend: (messages) => holdMessages(db, messages, FALLBACK_MS),
    onError: (error) => log.warn({ err: error }, 'bus.ring_not_held'),
  });
  let handlingCount = 0;
  let isStopping = false;
  let isTaking = false;

  const start = (ring: Ring) => {
    handlingCount += 1;
    recordRing({ subject: ring.subject, outcome: 'taken' });
    held.add(ring);
    const onHandled = () => {
      handlingCount -= 1;
      held.remove(ring);
      places.giveBack();
      options.onRoom();
    };
    const ended = workOn(options, ring, onHandled).finally(() => work.delete(ring.id));
    work.set(ring.id, ended);
  };
  const takeAll = async () => {
    while (!queue.isEmpty() && !isStopping) {
      await places.take('ring');
      const ring = isStopping ? undefined : queue.next();
      if (ring && !work.has(ring.id) && !inWork.hasMessage(ring.id)) start(ring);
      else places.giveBack();
    }
    isTaking = false;
  };
  const unlisten = rings?.listen(consume.consumer, consume.address, (ring) => {
    // A slow database holds the next ones back.
    const hasRoom = work.size - handlingCount < 3 * consume.concurrency;
    if (!hasRoom || !queue.add(ring)) return recordRing({ subject: ring.subject, outcome: 'dropped' });
    if (isTaking) return;
    isTaking = true;
    void takeAll();
  });
  return {
    countInWork: () => handlingCount,
    endOf: (id) => work.get(id),
    async stop() {
      isStopping = true;
      unlisten?.();
      await Promise.all(work.values());
      held.stop();
    },
  };
}

/** Answers whether the message is settled; never rejects. */
async function workOn(options: RingOptions, ring: Ring, onHandled: () => void): Promise<boolean> {
  const { consume, settle, log } = options;
  const { subject, id: eventId } = ring;
  try {
    const settlement = await handleInTime(options, ring).finally(onHandled);
    if (settlement) return await settle(consume.consumer, { delivered: ring, settlement });
    log.warn({ subject, eventId }, 'bus.lease_ended');
  } catch (error) {
    log.warn({ err: error, subject, eventId }, 'bus.settle_failed');
  }
  return false;
}

/** Undefined where the handler took longer than its lease. */
async function handleInTime(options: RingOptions, ring: Ring): Promise<Settlement | undefined> {
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => over.resolve(undefined), options.leaseMs).unref();
  return Promise.race([runHandler(options, ring), over.promise]).finally(() => clearTimeout(timer));
}
