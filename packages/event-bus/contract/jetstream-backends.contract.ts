import { randomUUID } from 'node:crypto';
import type { ConsumerName, PublisherName, Subject } from '@attache/contracts';
import { type Database, insertOutboxMessage, listDeadLetters, type Ringing } from '@attache/database';
import { createHostedDatabase } from '@attache/database/contract/hosted-database';
import { connectPostgres } from '@attache/database/postgres';
import { createLogger } from '@attache/telemetry';
import { type NatsUser, type OwnNats, useStarts } from '@attache/test-servers';
import { inject, onTestFinished } from 'vitest';
import { createLocalDoorbells, type Doorbells } from '../src/doorbells.ts';
import type { RingAddress, Settlement } from '../src/event-bus.ts';
import { ensureTopology } from '../src/jetstream/ensure.ts';
import { createJetstreamEventBus } from '../src/jetstream/event-bus.ts';
import { connectJetstream, type JetstreamLink } from '../src/jetstream/link.ts';
import { type RelayOptions, type RunningRelay, startRelay } from '../src/jetstream/relay/relay.ts';
import { createRings, type Rings } from '../src/jetstream/ring/rings.ts';
import type { DeadMessage } from './event-bus.contract.ts';

// The backends of the suites on real servers.

const servers = inject('servers');

/** Why the suites cannot run here; undefined where they can. */
export const missing: string | undefined =
  servers.missing
    .filter(({ name }) => name === 'postgres' || name === 'nats')
    .map(({ name, why }) => `${name}: ${why}`)
    .join(', ') || undefined;

export const log = createLogger({ service: 'test', level: 'silent' });

type NatsSettings = { config?: string; users?: readonly NatsUser[] };

/** A NATS server of its own, to be killed. */
export const startOwnNats = (given: NatsSettings = {}): Promise<OwnNats> =>
  useStarts().nats({ program: servers.programs.nats ?? '', ...given });

export type Backends = {
  nats: OwnNats;
  db: Database;
  /** The doorbells that the commits of `db` ring. */
  doorbells: Doorbells;
  /** The same database, whose commits ring by this. */
  connectRinging(ringing: Ringing): Promise<Database>;
  /** Runs statements that no service may. */
  runAsSuperuser(statements: string): Promise<void>;
  stop(): Promise<void>;
};

/** A migrated database and a NATS server, with further settings. */
export async function startBackends(settings?: NatsSettings): Promise<Backends> {
  const [nats, database] = await Promise.all([
    startOwnNats(settings),
    createHostedDatabase(servers.postgres?.superuserUrl ?? ''),
  ]);
  const doorbells = createLocalDoorbells();
  const onCommitted: Doorbells['ring'] = (rungNames) => doorbells.ring(rungNames);
  const db = await connectPostgres({ url: database.allUrl, poolSize: 16, onCommitted });
  return {
    ...{ nats, db, doorbells, runAsSuperuser: database.runAsSuperuser },
    connectRinging: (ringing) => connectPostgres({ url: database.allUrl, poolSize: 8, onCommitted, ringing }),
    async stop() {
      await db.close();
      await Promise.all([nats.stop(), database.drop()]);
    },
  };
}

/** A process whose commits ring; `lose` and the like are placed between it and NATS. */
export async function openRinging(
  { nats, connectRinging }: Backends,
  between: (rings: Rings) => Ringing = (rings) => rings,
): Promise<{ db: Database; rings: Rings; link: JetstreamLink; close(): Promise<void> }> {
  const link = await connectJetstream({ url: nats.url, service: 'ingest', log });
  const rings = createRings(link);
  const db = await connectRinging(between(rings));
  return {
    ...{ db, rings, link },
    async close() {
      await db.close();
      await link.close();
    },
  };
}

/** Short times, so that what takes seconds in life takes parts of one in a test. */
export const ACK_WAIT_MS = 500;
/** The wait in tests in which processes die: the broker brings their message again as soon as they are silent. */
export const DYING_ACK_WAIT_MS = 100;

/** A connection of a service, with the topology, for one test. */
export async function openLink(
  nats: { url: string },
  service: PublisherName,
  ackWaitMs = ACK_WAIT_MS,
): Promise<JetstreamLink> {
  const link = await connectJetstream({ url: nats.url, service, log });
  onTestFinished(() => link.close());
  await ensureTopology(link, { ackWaitMs });
  return link;
}

type RelaySettings = Pick<RelayOptions, 'windowPerTenant' | 'pollMs' | 'reconcileAfterMs'>;

/** A relay for one test, or until it is stopped. */
export function openRelay(backends: Backends, link: JetstreamLink, settings: RelaySettings = {}): RunningRelay {
  const { db, doorbells } = backends;
  const relay = startRelay({ db, link, publisher: link.service, doorbells, log, ...settings });
  onTestFinished(() => relay.stop());
  return relay;
}

export type Given = { id: string; tenantId: string; attempt: number };

/** A consumer for one test. What it was given, of all tenants, is in `given`. */
export function openConsumer(
  backends: Backends,
  link: JetstreamLink,
  handle: (given: Given) => Promise<Settlement>,
  options: {
    consumer?: ConsumerName;
    concurrency?: number;
    leaseMs?: number;
    rings?: Rings;
    address?: RingAddress;
  } = {},
) {
  const { db, doorbells } = backends;
  const { consumer = 'projector', concurrency = 4, leaseMs, rings, address } = options;
  const bus = createJetstreamEventBus({ link, db, doorbells, log, ackWaitMs: ACK_WAIT_MS, leaseMs, rings });
  const given: Given[] = [];
  const early: { data: unknown; blobs: unknown }[] = [];
  const heads: unknown[] = [];
  const running = bus.consume({
    ...{ consumer, concurrency, address },
    onEarly: ({ data }, blobs) => void early.push({ data, blobs }),
    async handle({ id, data, attempt }, head) {
      heads.push(head);
      const one = { id, tenantId: data.tenantId, attempt };
      given.push(one);
      return handle(one);
    },
  });
  onTestFinished(() => running.stop());
  return { bus, given, early, heads, stop: running.stop };
}

export const ack = async (): Promise<Settlement> => ({ as: 'ack' });

/** Puts a message into the outbox, as a use case does; answers its id. */
export async function publish(
  { db }: Pick<Backends, 'db'>,
  tenantId: string = randomUUID(),
  subject: Subject = 'attachment.added',
): Promise<string> {
  const id = randomUUID();
  const data = { tenantId, sessionId: randomUUID(), attachmentId: randomUUID(), deliveryId: randomUUID() };
  await insertOutboxMessage(db, { id, subject, data });
  return id;
}

/** States of the outbox rows of a tenant, or of these among them, by event id. */
export async function readStates(
  { db }: Pick<Backends, 'db'>,
  tenantId: string,
  ids?: readonly string[],
): Promise<Record<string, string>> {
  const rows = await db.asWorker((tx) =>
    tx.query.outbox.findMany({
      columns: { id: true, state: true },
      where: (table, { and, eq, inArray }) =>
        and(eq(table.tenantId, tenantId), ids ? inArray(table.id, [...ids]) : undefined),
    }),
  );
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
}

export async function readDead({ db }: Pick<Backends, 'db'>, tenantId: string): Promise<DeadMessage[]> {
  const { items } = await listDeadLetters(db, { tenantId, limit: 1000 });
  return items.map(({ id, consumer, reason, attempts }) => ({ id, consumer, reason, attempts }));
}
