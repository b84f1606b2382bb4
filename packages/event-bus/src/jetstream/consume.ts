import { countAttempt, touchPublished, untilAnswered } from '@attache/database';
import { type Logger, logMessageDead, recordReceived } from '@attache/telemetry';
import type { Msg } from '@nats-io/nats-core';
import type { BusConsumer, Settlement } from '../event-bus.ts';
import { settleLost } from '../outbox/settle.ts';
import type { ConsumerOptions } from './consumer-options.ts';
import { type Delivered, deliveryCountOf, parseStored } from './envelope.ts';
import { type Lease, startLease } from './lease.ts';
import { startPull } from './pull.ts';
import { createInWork, type InWork } from './ring/in-work.ts';
import { createPlaces, type Places } from './ring/places.ts';
import { type TakenRings, takeRings } from './ring/take-rings.ts';
import { runHandler } from './run-handler.ts';
import type { Handled } from './settle.ts';
import { ACK_WAIT_MS, WORK_STREAM } from './topology.ts';
import { tell, words } from './words.ts';

const DEFAULT_LEASE_MS = 300_000;
const MAX_WAITING = 1;
const CROWDED_MS = 500;

type ConsumerState = ConsumerOptions & {
  inWork: InWork;
  places: Places;
  taken: TakenRings;
  /** Until the last of those has ended that come one after the other. */
  turn: Promise<void>;
  /** How many wait for their turn. */
  waitingCount: number;
  isStopping: boolean;
};

/** Takes the rings and the broker's messages for one consumer, as much as it asks for at once. */
export function startConsumer(options: ConsumerOptions): BusConsumer {
  const { consume } = options;
  const [inWork, places] = [createInWork(), createPlaces(consume.concurrency)];
  const leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
  const taken = takeRings({ ...options, inWork, places, leaseMs, onRoom: () => pull.ask() });
  const state: ConsumerState = {
    ...{ ...options, inWork, places, taken, turn: Promise.resolve(), waitingCount: 0, isStopping: false },
  };
  const handling = new Set<Promise<void>>();
  const settling = new Set<Promise<void>>();
  const countRoom = () => {
    // One message of the broker may always wait for a place, however many rings come.
    const most = Math.max(1, consume.concurrency - taken.countInWork());
    // A slow database holds the next messages back.
    return Math.min(most - handling.size, 4 * consume.concurrency - handling.size - settling.size);
  };
  const track = (work: Promise<void>, among: Set<Promise<void>>) => {
    const tracked = work.finally(() => {
      among.delete(tracked);
      pull.ask();
    });
    among.add(tracked);
  };
  const work = async (message: Msg) => {
    const settle = await handleMessage(state, message);
    if (settle) track(settle(), settling);
  };
  const pull = startPull({
    link: state.link,
    stream: WORK_STREAM,
    consumer: consume.consumer,
    countRoom,
    onMessage: (message) => track(work(message), handling),
  });
  return {
    async stop() {
      state.isStopping = true;
      await Promise.all([pull.stop(), taken.stop()]);
      await Promise.all(handling);
      await Promise.all(settling);
    },
  };
}

/** Handles one message and answers how to settle it; undefined where that is done, or left to the broker. */
async function handleMessage(state: ConsumerState, message: Msg): Promise<(() => Promise<void>) | undefined> {
  const delivered = parseStored(message);
  if (!delivered) return async () => refuseForeign(state.log, message);
  // The broker did not hear that it is in work; one acknowledgement settles both.
  if (!state.inWork.add(delivered)) return undefined;
  const lease = leaseMessage(state, message, delivered);
  if (await state.taken.endOf(delivered.id)) return letGo(state, message, delivered, lease, words.ack);
  await state.places.take('broker');
  try {
    return await handlePlaced(state, message, delivered, lease);
  } finally {
    state.places.giveBack();
  }
}

async function handlePlaced(state: ConsumerState, message: Msg, delivered: Delivered, lease: Lease) {
  if (deliveryCountOf(message) === 1) {
    if (state.isStopping) return letGo(state, message, delivered, lease, words.nak(0));
    return handleCounted(state, message, delivered, lease);
  }
  // A few wait, so that there is room for others, and others may take the rest.
  if (state.waitingCount >= MAX_WAITING) return letGo(state, message, delivered, lease, words.nak(CROWDED_MS));
  const endTurn = await awaitTurn(state);
  try {
    if (state.isStopping) return letGo(state, message, delivered, lease, words.nak(0));
    const counted = await countBegun(state, delivered);
    // The message itself is not settled: its next emission may be on its way.
    if (counted === 'over') return letGo(state, message, delivered, lease, words.ack);
    return await handleCounted(state, message, counted, lease);
  } catch (error) {
    return leave(state, delivered, lease, error);
  } finally {
    endTurn();
  }
}

/** A handler that does not end within its lease gives its place up, too. */
async function handleCounted(state: ConsumerState, message: Msg, delivered: Delivered, lease: Lease) {
  lease.startHandling();
  const settlement = await Promise.race([settlementOf(state, delivered), lease.over]);
  if (settlement === 'over') return undefined;
  lease.endHandling();
  return () => settleWithRetries(state, { message, delivered, settlement }, lease);
}

/**
 * Messages whose last attempt ended without a word come one after the other: one of them may kill its process, and takes no others with it
 * each time.
 */
async function awaitTurn(state: ConsumerState): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = state.turn;
  state.turn = promise;
  state.waitingCount += 1;
  await before;
  state.waitingCount -= 1;
  return resolve;
}

/** Leaves a message to the broker, which brings it again. */
function leave(state: ConsumerState, delivered: Delivered, lease: Lease, error: unknown): undefined {
  lease.end();
  state.inWork.remove(delivered);
  state.log.warn({ err: error, subject: delivered.subject, eventId: delivered.id }, 'bus.settle_failed');
}

/** Lets go of an emission with a word to the broker. */
function letGo(state: ConsumerState, message: Msg, delivered: Delivered, lease: Lease, word: string): undefined {
  lease.end();
  state.inWork.remove(delivered);
  tell(message, word);
}

function leaseMessage(state: ConsumerState, message: Msg, delivered: Delivered): Lease {
  return startLease({
    leaseMs: state.leaseMs ?? DEFAULT_LEASE_MS,
    ackWaitMs: state.ackWaitMs ?? ACK_WAIT_MS,
    extend: () => tell(message, words.working),
    touch: () => touchPublished(state.db, delivered),
    giveUp() {
      state.inWork.remove(delivered);
      state.log.warn({ subject: delivered.subject, eventId: delivered.id }, 'bus.lease_ended');
      tell(message, words.nak(0));
    },
  });
}

// While the database is away nothing is counted, and the lease keeps the message here.
const whileAway = <T>(state: ConsumerState, work: () => Promise<T>): Promise<T> =>
  untilAnswered(work, () => !state.isStopping);

/** The message with the attempt that begins, or that this emission is over: the message was settled before, or put back. */
async function countBegun(state: ConsumerState, delivered: Delivered): Promise<Delivered | 'over'> {
  const { tenantId, id, emission, message } = delivered;
  const before = delivered.attempt - 1;
  const counted = await whileAway(state, () => countAttempt(state.db, { tenantId, id, emission, before }));
  if (counted === null) return 'over';
  const attempt = Number(counted);
  return { ...delivered, attempt, isCounted: true, message: message && { ...message, attempt } };
}

async function settlementOf(state: ConsumerState, delivered: Delivered): Promise<Settlement> {
  recordReceived(delivered);
  return settleLost(delivered.attempt) ?? runHandler(state, delivered);
}

async function settleWithRetries(state: ConsumerState, handled: Handled, lease: Lease): Promise<void> {
  try {
    await whileAway(state, () => state.settle(state.consume.consumer, handled));
    lease.end();
    state.inWork.remove(handled.delivered);
  } catch (error) {
    leave(state, handled.delivered, lease, error);
  }
}

function refuseForeign(log: Logger, message: Msg): void {
  logMessageDead(log, { subject: 'unknown', eventId: 'unknown', reason: 'no bus message', attempts: 1 });
  tell(message, words.term('no bus message'));
}
