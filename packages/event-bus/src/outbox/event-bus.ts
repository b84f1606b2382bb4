import { type BusMessage, busDataSchemas, subjectsOfConsumer } from '@attache/contracts';
import {
  type ClaimedMessage,
  claimMessages,
  type Database,
  deferMessage,
  extendClaims,
  insertOutboxMessage,
  settleDone,
} from '@attache/database';
import { type Logger, recordReceived } from '@attache/telemetry';
import type { Doorbells } from '../doorbells.ts';
import type { BusConsumer, ConsumeOptions, EventBus, Settlement } from '../event-bus.ts';
import { bury } from './bury.ts';
import { keepClaims } from './keep-claims.ts';
import { attemptsMade, settleLost, settleThrown } from './settle.ts';
import { createWakeLoop } from './wake-loop.ts';

export type OutboxBusOptions = {
  db: Database;
  doorbells: Doorbells;
  log: Logger;
  /** How long one handling may take; afterwards the message comes again. */
  leaseMs?: number | undefined;
  /** After how long the message of a handler that is no more comes again. */
  claimMs?: number | undefined;
  /** The fallback when a ring was lost. */
  pollMs?: number | undefined;
};

const DEFAULT_LEASE_MS = 300_000;
const DEFAULT_CLAIM_MS = 30_000;
const DEFAULT_POLL_MS = 2_000;
// No other process can be notified: the message waits in the table for another process that looks there.
const ELSEWHERE_MS = 1_000;

/** The embedded bus: the outbox table itself. Rung at commit; a slow timer is the fallback. */
export function createOutboxEventBus(options: OutboxBusOptions): EventBus {
  return {
    publish: (message) => insertOutboxMessage(options.db, message),
    consume: (consume) => startConsumer(options, consume),
    checkReady: () => options.db.checkReady(),
  };
}

function startConsumer(options: OutboxBusOptions, consume: ConsumeOptions): BusConsumer {
  const { db, doorbells, log, leaseMs = DEFAULT_LEASE_MS, pollMs = DEFAULT_POLL_MS } = options;
  const subjects = subjectsOfConsumer[consume.consumer];
  const inWork = new Set<Promise<void>>();
  const claimMs = Math.min(options.claimMs ?? DEFAULT_CLAIM_MS, leaseMs);
  const claims = keepClaims<ClaimedMessage>({
    ...{ claimMs, leaseMs },
    extend: (messages) => extendClaims(db, messages, claimMs),
    onError: (error) => log.warn({ err: error }, 'bus.claim_not_extended'),
  });
  const loop = createWakeLoop();

  const work = (claimed: ClaimedMessage) => {
    claims.add(claimed);
    const over = createTimeout(leaseMs);
    const done = Promise.race([handleMessage(options, claimed, consume), over.promise])
      // A result after the lease changes nothing, and its message comes again.
      .then((settlement) => settlement && settle(options, claimed, consume, settlement))
      .then((retryMs) => {
        if (retryMs !== undefined) loop.wakeAfter(retryMs);
      })
      // Not settled: the claim ends and the message comes again.
      .catch((error) => log.warn({ err: error, subject: claimed.subject, eventId: claimed.id }, 'bus.settle_failed'))
      .finally(() => {
        over.clear();
        claims.remove(claimed);
        const wasFull = inWork.size >= consume.concurrency;
        inWork.delete(done);
        if (wasFull || claimed.attempt > 1) loop.wake();
      });
    inWork.add(done);
  };
  loop.start({
    round: async () => {
      const limit = consume.concurrency - inWork.size;
      if (limit <= 0) return false;
      // One that kills its process takes no others with it each time.
      const again = claims.hasRepeated() ? 0 : 1;
      const claimed = await claimMessages(db, { subjects, limit, again, leaseMs: claimMs });
      for (const message of claimed) work(message);
      // A full hand may mean that more waits.
      return claimed.length === limit && inWork.size < consume.concurrency;
    },
    pollMs,
    onError: (error) => log.warn({ err: error }, 'bus.claim_failed'),
  });
  const unlisten = subjects.map((subject) => doorbells.listen(`outbox:${subject}`, loop.wake));
  return {
    async stop() {
      for (const stopListening of unlisten) stopListening();
      await loop.stop();
      await Promise.all(inWork);
      claims.stop();
    },
  };
}

function toBusMessage(claimed: ClaimedMessage): BusMessage | undefined {
  const subject = claimed.subject as keyof typeof busDataSchemas;
  const data = busDataSchemas[subject]?.safeParse(claimed.data);
  if (!data?.success) return undefined;
  return {
    id: claimed.id,
    subject,
    data: data.data,
    trace: claimed.trace ?? undefined,
    attempt: claimed.attempt,
  } as BusMessage;
}

/** Resolves after a time, unless it is cleared. Keeps no process alive. */
function createTimeout(timeoutMs: number): { promise: Promise<undefined>; clear(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), timeoutMs).unref();
  return { promise, clear: () => clearTimeout(timer) };
}

async function handleMessage(
  { db }: OutboxBusOptions,
  claimed: ClaimedMessage,
  consume: ConsumeOptions,
): Promise<Settlement> {
  const message = toBusMessage(claimed);
  recordReceived(claimed);
  if (!message) return { as: 'term', reason: 'data does not fit the subject' };
  const lost = settleLost(claimed.attempt);
  if (lost) return lost;
  try {
    return await consume.handle(message);
  } catch (error) {
    return settleThrown(error, claimed.attempt, {
      checkDatabase: () => db.checkReady(),
      checkStore: consume.checkStore,
    });
  }
}

/** Returns after how many milliseconds the message comes again, if it does. */
async function settle(
  deps: OutboxBusOptions,
  claimed: ClaimedMessage,
  { consumer }: ConsumeOptions,
  settlement: Settlement,
): Promise<number | undefined> {
  const { tenantId, id, attempt } = claimed;
  switch (settlement.as) {
    case 'ack':
    case 'left':
      if (settlement.as === 'left' || !settlement.isSettled) await settleDone(deps.db, [{ tenantId, id }]);
      return undefined;
    case 'term':
      await bury(
        deps,
        { ...claimed, consumer, claim: attempt },
        { reason: settlement.reason, attempts: attemptsMade(attempt) },
      );
      return undefined;
    default: {
      // An attempt is counted when it is claimed.
      const attempts = settlement.as === 'retry' ? 0 : -1;
      const delayMs = settlement.as === 'elsewhere' ? ELSEWHERE_MS : settlement.delayMs;
      const waitMs = await deferMessage(deps.db, { tenantId, id, claim: attempt, attempts, delayMs });
      return waitMs === null ? undefined : Number(waitMs) + 1;
    }
  }
}
