import { type ConsumerName, RELAY_BELL_SUBJECT } from '@attache/contracts';
import { type Database, deferMessage, settleDone } from '@attache/database';
import type { Logger } from '@attache/telemetry';
import type { Msg } from '@nats-io/nats-core';
import type { Doorbells } from '../doorbells.ts';
import type { Settlement } from '../event-bus.ts';
import { createBatch } from '../outbox/batch-calls.ts';
import { bury } from '../outbox/bury.ts';
import { attemptsMade } from '../outbox/settle.ts';
import type { Delivered } from './envelope.ts';
import type { JetstreamLink } from './link.ts';
import { FALLBACK_MS, type Rings } from './ring/rings.ts';
import { tell, words } from './words.ts';

/** A message and its handler's result; `message` if the broker brought it. */
export type Handled = { message?: Msg; delivered: Delivered; settlement: Settlement };

/** May be repeated where the database did not answer. Returns whether the message is settled: nothing more is to be done for this emission of it. */
export type Settle = (consumer: ConsumerName, handled: Handled) => Promise<boolean>;

type Deps = { link: JetstreamLink; db: Database; doorbells: Doorbells; log: Logger; rings?: Rings | undefined };

type Target = { tenantId: string; id: string };

// Nothing waits for it, and messages that are settled together cost one commit.
const SETTLE_DELAY_MS = 10;
// Messages that failed together must not come again together.
const RETRY_JITTER = 0.2;

/**
 * Settles in the database first, then with the broker: a process that dies in between gets the message again, and no message is lost. A message that is to come
 * again waits in the outbox, so that the broker's count only shows how often a message ended without a result.
 */
export function createSettle(deps: Deps): Settle {
  const done = createBatch((targets: readonly Target[]) => settleAsDone(deps, targets), {
    delayMs: SETTLE_DELAY_MS,
  });
  return async (consumer, { message, delivered, settlement }) => {
    const { tenantId, id, attempt } = delivered;
    switch (settlement.as) {
      case 'term': {
        const { reason } = settlement;
        await bury(deps, { ...delivered, consumer }, { reason, attempts: attemptsMade(attempt) });
        if (message) tell(message, words.term(reason));
        return true;
      }
      case 'ack':
        // A message that the broker brought occupied room; settling it shows which other messages may go now.
        if (message || !settlement.isSettled) await done.add({ tenantId, id });
        break;
      case 'left':
        if (!message) return false;
        await done.add({ tenantId, id });
        break;
      case 'elsewhere':
        deps.rings?.passOn({ passedOn: 0, ...delivered }, settlement.owner);
        // The row waits on in case that this ring is lost, too.
        if (!message) return false;
        await defer(deps, delivered, { as: 'later', delayMs: FALLBACK_MS });
        break;
      default:
        await defer(deps, delivered, settlement);
    }
    // Not waited for: where it is lost the message comes again, which every handler must bear.
    if (message) tell(message, words.ack);
    return true;
  };
}

async function settleAsDone(deps: Deps, targets: readonly Target[]): Promise<void> {
  const roomy = await settleDone(deps.db, targets);
  if (roomy.length === 0) return;
  deps.doorbells.ring(roomy.map((subject) => `outbox:${subject}`));
  wakeRelays(deps);
}

async function defer(
  deps: Deps,
  { tenantId, id, subject, emission, isCounted }: Delivered,
  settlement: Extract<Settlement, { as: 'later' | 'retry' }>,
): Promise<void> {
  const counting = settlement.as === 'retry';
  const attempts = counting === isCounted ? 0 : counting ? 1 : -1;
  const delayMs = settlement.delayMs && settlement.delayMs * (1 + Math.random() * RETRY_JITTER);
  const waitMs = await deferMessage(deps.db, { tenantId, id, emission, attempts, delayMs });
  if (waitMs === null) return;
  const wake = () => {
    deps.doorbells.ring([`outbox:${subject}`]);
    wakeRelays(deps);
  };
  // If this process is gone by then, the relays look by themselves.
  setTimeout(wake, Number(waitMs) + 1).unref();
}

function wakeRelays({ link }: Deps): void {
  try {
    if (link.isConnected()) link.nc.publish(RELAY_BELL_SUBJECT);
  } catch {
    // The connection is being closed; the relays look by themselves.
  }
}
