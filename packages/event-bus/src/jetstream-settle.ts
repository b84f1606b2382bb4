import { type ConsumerName, RELAY_BELL_SUBJECT } from '@attache/contracts';
import { type Database, settleDone, settleMessage } from '@attache/database';
import { type Logger, logMessageDead } from '@attache/telemetry';
import type { Msg } from '@nats-io/nats-core';
import { createBatch } from './batch-calls.ts';
import type { Doorbells } from './doorbells.ts';
import type { Settlement } from './event-bus.ts';
import type { Delivered } from './jetstream-envelope.ts';
import type { JetstreamLink } from './jetstream-link.ts';
import { tell, words } from './jetstream-words.ts';

/** A message and what its handler said of it. */
export type Handled = { message: Msg; delivered: Delivered; settlement: Settlement };

export type Settle = (consumer: ConsumerName, handled: Handled) => Promise<void>;

type Deps = { link: JetstreamLink; db: Database; doorbells: Doorbells; log: Logger };

type Target = { tenantId: string; id: string };

// Nobody waits for it, and what is settled together costs one commit.
const SETTLE_DELAY_MS = 10;
// What failed together does not come again together.
const NAK_JITTER = 0.2;

/** Settles in the database first, then with the broker: who dies in between is brought the message again, and no one loses it. */
export function createSettle(deps: Deps): Settle {
  const { db, log } = deps;
  const done = createBatch((targets: readonly Target[]) => settleAsDone(deps, targets), {
    delayMs: SETTLE_DELAY_MS,
  });
  return async (consumer, { message, delivered, settlement }) => {
    const { tenantId, id, subject, attempt } = delivered;
    if (settlement.as === 'ack') {
      await done.add({ tenantId, id });
      // Not waited for: where it is lost the message comes again, which every handler must bear.
      tell(message, words.ack);
    } else if (settlement.as === 'nak') {
      tell(message, words.nak(settlement.delayMs * (1 + Math.random() * NAK_JITTER)));
    } else {
      const { reason } = settlement;
      logMessageDead(log, { subject, eventId: id, reason, attempts: attempt });
      await settleMessage(db, { tenantId, id, consumer }, { as: 'dead', reason, attempts: attempt });
      tell(message, words.term(reason));
    }
  };
}

async function settleAsDone({ db, link, doorbells }: Deps, targets: readonly Target[]): Promise<void> {
  const roomy = await settleDone(db, targets);
  if (roomy.length === 0) return;
  doorbells.ring(roomy.map((subject) => `outbox:${subject}`));
  if (link.isConnected()) link.nc.publish(RELAY_BELL_SUBJECT);
}
