import type { BusMessage } from '@attache/contracts';
import { type Database, insertOutboxMessage, touchPublished } from '@attache/database';
import {
  currentTrace,
  type Logger,
  logMessageDead,
  recordReceived,
  runInSpan,
  startSpan,
  type TraceCarrier,
} from '@attache/telemetry';
import type { Msg } from '@nats-io/nats-core';
import type { Doorbells } from './doorbells.ts';
import type { BusConsumer, ConsumeOptions, EventBus, Settlement } from './event-bus.ts';
import { attemptOf, type Delivered, parseStored } from './jetstream-envelope.ts';
import { startLease } from './jetstream-lease.ts';
import type { JetstreamLink } from './jetstream-link.ts';
import { startPull } from './jetstream-pull.ts';
import { createSettle, type Settle } from './jetstream-settle.ts';
import { ACK_WAIT_MS, deliveries, WORK_STREAM } from './jetstream-topology.ts';
import { tell, words } from './jetstream-words.ts';
import { settleError } from './settle.ts';

export type JetstreamBusOptions = {
  link: JetstreamLink;
  db: Database;
  doorbells: Doorbells;
  log: Logger;
  /** How long one handling may take; afterwards the message comes again. */
  leaseMs?: number | undefined;
  /** That of the topology. */
  ackWaitMs?: number | undefined;
};

const DEFAULT_LEASE_MS = 300_000;

type BusState = JetstreamBusOptions & { settle: Settle };

/** The hosted bus: what is in the outbox comes from NATS JetStream, to which the relays of all processes bring it. */
export function createJetstreamEventBus(options: JetstreamBusOptions): EventBus {
  const state: BusState = { ...options, settle: createSettle(options) };
  return {
    publish: (message) => insertOutboxMessage(options.db, message),
    consume: (consume) => startConsumer(state, consume),
    async checkReady() {
      await Promise.all([options.link.checkReady(), options.db.checkReady()]);
    },
  };
}

function startConsumer(state: BusState, consume: ConsumeOptions): BusConsumer {
  const handling = new Set<Promise<void>>();
  const settling = new Set<Promise<void>>();
  // A slow database holds the next messages back.
  const countRoom = () =>
    Math.min(consume.concurrency - handling.size, 4 * consume.concurrency - handling.size - settling.size);
  const track = (work: Promise<void>, among: Set<Promise<void>>) => {
    const tracked = work.finally(() => {
      among.delete(tracked);
      pull.ask();
    });
    among.add(tracked);
  };
  const work = async (message: Msg) => {
    const settlement = await handleMessage(state, consume, message);
    if (settlement) track(settlement(), settling);
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
      await pull.stop();
      await Promise.all(handling);
      await Promise.all(settling);
    },
  };
}

/** Handles one message and answers how to settle it; undefined where that was done meanwhile. */
async function handleMessage(
  state: BusState,
  consume: ConsumeOptions,
  message: Msg,
): Promise<(() => Promise<void>) | undefined> {
  const delivered = parseStored(message, attemptOf(message));
  if (!delivered) return async () => refuseForeign(state.log, message);
  recordReceived(delivered);
  const lease = startLease({
    leaseMs: state.leaseMs ?? DEFAULT_LEASE_MS,
    ackWaitMs: state.ackWaitMs ?? ACK_WAIT_MS,
    extend: () => tell(message, words.working),
    touch: () => touchPublished(state.db, delivered),
    giveUp() {
      state.log.warn({ subject: delivered.subject, eventId: delivered.id }, 'bus.lease_ended');
      tell(message, words.nak(0));
    },
  });
  const settlement = await runHandler(delivered, consume);
  // What comes after the lease changes nothing.
  if (lease.end()) return undefined;
  return () =>
    state.settle(consume.consumer, { message, delivered, settlement }).catch((error) => {
      // Not settled: the broker brings it again.
      state.log.warn({ err: error, subject: delivered.subject, eventId: delivered.id }, 'bus.settle_failed');
    });
}

function refuseForeign(log: Logger, message: Msg): void {
  logMessageDead(log, { subject: 'unknown', eventId: 'unknown', reason: 'no bus message', attempts: 1 });
  tell(message, words.term('no bus message'));
}

/** A span of its own for the receipt, to which the handling can link. */
function traceReceipt({ subject, id, trace, attempt }: Delivered): TraceCarrier | undefined {
  const span = startSpan({
    name: `receive ${subject}`,
    kind: 'client',
    parent: 'root',
    links: [trace],
    attributes: {
      'messaging.system': 'nats',
      'messaging.operation.type': 'receive',
      'messaging.destination.name': subject,
      'messaging.message.id': id,
      'messaging.batch.message_count': 1,
      'attache.attempt': attempt,
    },
  });
  const receivedIn = runInSpan(span, currentTrace);
  span.end();
  return receivedIn;
}

async function runHandler(delivered: Delivered, consume: ConsumeOptions): Promise<Settlement> {
  const receivedIn = traceReceipt(delivered);
  if (!delivered.message) return { as: 'term', reason: 'data does not fit the subject' };
  const message: BusMessage = receivedIn ? { ...delivered.message, receivedIn } : delivered.message;
  try {
    return await consume.handle(message);
  } catch (error) {
    return settleError(error, delivered.attempt, deliveries[consume.consumer].maxAttempts);
  }
}
