import { holdMessages } from '@attache/database';
import { recordRing } from '@attache/telemetry';
import type { Settlement } from '../../event-bus.ts';
import { type KeptClaims, keepClaims } from '../../outbox/keep-claims.ts';
import type { ConsumerOptions } from '../consumer-options.ts';
import { runHandler } from '../run-handler.ts';
import type { InWork } from './in-work.ts';
import type { Places } from './places.ts';
import type { Ring } from './ring-message.ts';
import { createRingQueue, type RingQueue } from './ring-queue.ts';
import { FALLBACK_MS } from './rings.ts';

// The limit for one tenant covers a burst of its commits; the limit for all is too small to matter for memory.
const MAX_PER_TENANT = 1_024;
const MAX_RINGS = 8_192;
/** For each place so many are settled while others are worked on. */
const SETTLING_PER_PLACE = 3;

export type TakenRings = {
  /** How many are in work. */
  countInWork(): number;
  /** The end of the work on a ring for this message, if there is any: resolves with whether the message is settled. */
  endOf(id: string): Promise<boolean> | undefined;
  stop(): Promise<void>;
};

type RingOptions = ConsumerOptions & { places: Places; inWork: InWork; leaseMs: number; onRoom: () => void };

type TakingState = {
  options: RingOptions;
  queue: RingQueue<Ring>;
  /** Work by the id of its message: whether it is settled in the end. */
  work: Map<string, Promise<boolean>>;
  held: KeptClaims<Ring>;
  /** How many have a place. */
  handlingCount: number;
  isTaking: boolean;
  isStopping: boolean;
};

/**
 * Works on rings at once, in the same places as the broker's messages. The row of a message waits for as long as it is worked on. The relay brings every
 * message whose ring finds no room, or is given up.
 */
export function takeRings(options: RingOptions): TakenRings {
  const { consume, rings } = options;
  const queue = createRingQueue<Ring>({
    ...{ maxPerTenant: MAX_PER_TENANT, maxRings: MAX_RINGS, maxAgeMs: FALLBACK_MS },
    maxInWork: consume.tenantShare ?? consume.concurrency,
  });
  const state: TakingState = {
    ...{ options, queue, work: new Map(), held: holdRows(options) },
    ...{ handlingCount: 0, isTaking: false, isStopping: false },
  };
  const unlisten = rings?.listen(consume.consumer, consume.address, (ring) => {
    if (ring.early) {
      if (ring.message) consume.onEarly?.(ring.message, ring.early);
    } else if (queue.add(ring)) void takeAll(state);
    else recordRing({ subject: ring.subject, outcome: 'dropped' });
  });
  return {
    countInWork: () => state.handlingCount,
    endOf: (id) => state.work.get(id),
    async stop() {
      state.isStopping = true;
      unlisten?.();
      await Promise.all(state.work.values());
      state.held.stop();
    },
  };
}

/** Takes one after the other, as places come free. */
async function takeAll(state: TakingState): Promise<void> {
  const { options, queue, work } = state;
  if (state.isTaking) return;
  state.isTaking = true;
  while (!state.isStopping && queue.hasNext()) {
    await options.places.take('ring');
    const ring = state.isStopping ? undefined : queue.next();
    if (ring && !work.has(ring.id) && !options.inWork.hasMessage(ring.id)) {
      start(state, ring);
      continue;
    }
    if (ring) queue.end(ring);
    options.places.giveBack();
  }
  state.isTaking = false;
}

function start(state: TakingState, ring: Ring): void {
  const { options, queue, work, held } = state;
  state.handlingCount += 1;
  recordRing({ subject: ring.subject, outcome: 'taken' });
  held.add(ring);
  const giveBack = () => {
    state.handlingCount -= 1;
    queue.end(ring);
    held.remove(ring);
    options.places.giveBack();
    void takeAll(state);
    options.onRoom();
  };
  let hasPlace = true;
  const onHandled = () => {
    // A slow database holds the next ones back.
    if (work.size - state.handlingCount >= SETTLING_PER_PLACE * options.consume.concurrency) return;
    hasPlace = false;
    giveBack();
  };
  const ended = workOn(options, ring, onHandled).finally(() => {
    work.delete(ring.id);
    if (hasPlace) giveBack();
  });
  work.set(ring.id, ended);
}

/** Keeps the rows of what is worked on from their relay. */
function holdRows({ db, log, leaseMs }: RingOptions) {
  return keepClaims<Ring>({
    ...{ claimMs: FALLBACK_MS, leaseMs, sinceMs: FALLBACK_MS / 3 },
    extend: (messages) => holdMessages(db, messages, FALLBACK_MS),
    onError: (error) => log.warn({ err: error }, 'bus.ring_not_held'),
  });
}

/** Returns whether the message is settled; never rejects. */
async function workOn(options: RingOptions, ring: Ring, onHandled: () => void): Promise<boolean> {
  const { consume, settle, log } = options;
  const { subject, id: eventId } = ring;
  try {
    const settlement = await handleInTime(options, ring).finally(onHandled);
    if (settlement) return await settle(consume.consumer, { delivered: ring, settlement });
    log.warn({ subject, eventId }, 'bus.lease_ended');
    // The handler's result no longer changes anything, and the attempt counts.
    return await settle(consume.consumer, { delivered: ring, settlement: { as: 'retry', delayMs: 0 } });
  } catch (error) {
    log.warn({ err: error, subject, eventId }, 'bus.settle_failed');
  }
  return false;
}

/** Undefined if the handler took longer than its lease. */
async function handleInTime(options: RingOptions, ring: Ring): Promise<Settlement | undefined> {
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => over.resolve(undefined), options.leaseMs).unref();
  return Promise.race([runHandler(options, ring), over.promise]).finally(() => clearTimeout(timer));
}
