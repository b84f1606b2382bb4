import { consumerOfSubject } from '@attache/contracts';
import { type Database, settleMessage } from '@attache/database';
import { type Logger, logMessageDead } from '@attache/telemetry';
import type { Msg } from '@nats-io/nats-core';
import { parseStored } from './jetstream-envelope.ts';
import type { JetstreamLink } from './jetstream-link.ts';
import { startPull } from './jetstream-pull.ts';
import { ADVISORY_CONSUMER, ADVISORY_STREAM, WORK_STREAM } from './jetstream-topology.ts';
import { tell, words } from './jetstream-words.ts';

export type DeadLetterWatch = { stop(): Promise<void> };

const RETRY_DELAY_MS = 2_000;
const MAX_DELIVERIES = '.MAX_DELIVERIES.';

type Deps = { link: JetstreamLink; db: Database; log: Logger };

/**
 * Keeps as dead letters what the broker stopped to bring, because no consumer ever settled it: each was killed by it, or hung. What
 * was ended on purpose has its dead letter already; the broker's word of it stays in its stream.
 */
export function startDeadLetterWatch(deps: Deps): DeadLetterWatch {
  let inWork: Promise<void> | undefined;
  const pull = startPull({
    link: deps.link,
    stream: ADVISORY_STREAM,
    consumer: ADVISORY_CONSUMER,
    countRoom: () => (inWork ? 0 : 1),
    onMessage(message) {
      inWork = handleAdvisory(deps, message).finally(() => {
        inWork = undefined;
        pull.ask();
      });
    },
  });
  return {
    async stop() {
      await pull.stop();
      await inWork;
    },
  };
}

async function handleAdvisory(deps: Deps, message: Msg): Promise<void> {
  try {
    if (message.subject.includes(MAX_DELIVERIES)) await keepUnsettled(deps, message);
    tell(message, words.ack);
  } catch (error) {
    deps.log.warn({ err: error }, 'bus.dead_letter_not_kept');
    tell(message, words.nak(RETRY_DELAY_MS));
  }
}

type MaxDeliveries = { stream_seq?: unknown; deliveries?: unknown };

async function keepUnsettled({ link, db, log }: Deps, message: Msg): Promise<void> {
  const { stream_seq: seq, deliveries } = message.json<MaxDeliveries>();
  if (typeof seq !== 'number') return;
  const stored = await link.jsm.streams.getMessage(WORK_STREAM, { seq });
  // Settled or kept before.
  if (!stored) return;
  const attempts = Number(deliveries ?? 0);
  const dead = parseStored({ subject: stored.subject, data: stored.data, headers: stored.header }, attempts);
  if (dead) {
    const { tenantId, id, subject } = dead;
    const reason = `not settled in ${attempts} attempts`;
    logMessageDead(log, { subject, eventId: id, reason, attempts });
    await settleMessage(db, { tenantId, id, consumer: consumerOfSubject(subject) }, { as: 'dead', reason, attempts });
  }
  await link.jsm.streams.deleteMessage(WORK_STREAM, seq);
}
