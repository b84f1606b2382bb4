import { createS3BlobStore } from '@attache/blob-store/s3';
import { createYoungCollection } from '@attache/blob-store/young-collection';
import { countDeadLetters, type Database, type Ringing } from '@attache/database';
import { checkPostgres, connectPostgres } from '@attache/database/postgres';
import { redactText } from '@attache/domain';
import type { Doorbells } from '@attache/event-bus';
import {
  connectJetstream,
  createJetstreamEventBus,
  createNatsDoorbells,
  createRings,
  ensureTopology,
  startRelay,
} from '@attache/event-bus/jetstream';
import type { LeaseLink } from '@attache/runner-gateway/keep-lease';
import { createLogger, observeBacklog, observeBreaker, observeDeadLetters } from '@attache/telemetry';
import type { DatabaseConfig, IngestConfig, StoreConfig } from './config.ts';
import { warnOfClock } from './warn-of-clock.ts';

/** A renewal that takes longer counts as none. */
const LEASE_TIMEOUT_MS = 2_500;

export type ServiceName = 'ingest' | 'projector' | 'runner-gateway';

const MIB = 1024 * 1024;

// In ingest this is seldom enough that the bytes of eight clients are sent in between: bytes that two collections find in use stay until the heap is
// marked. In the gateway, base64 and its frame leave more garbage for each byte that it reads.
const collectEveryBytes: Record<ServiceName, number> = {
  ingest: 16 * MIB,
  projector: 16 * MIB,
  'runner-gateway': 4 * MIB,
};

export type Stop = () => Promise<void>;

/** The steps that end with the process, in reverse order. */
export type Stops = { defer(stop: Stop): void; stopAll(): Promise<void> };

export function createStops(): Stops {
  const stops: Stop[] = [];
  return {
    defer: (stop) => void stops.push(stop),
    async stopAll() {
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}

type CommonConfig = Pick<IngestConfig, 'database' | 'natsUrl' | 'reconcileAfterMs' | 'store' | 'logLevel'>;

type Ringers = Pick<Doorbells, 'ring' | 'sendEvents'> & { ringing: Ringing };

async function openDatabase(
  config: DatabaseConfig,
  service: ServiceName,
  ringers: () => Ringers | undefined,
  stops: Stops,
) {
  const { clockSkewMs, isTransactionPooled } = await checkPostgres({ url: config.url, directUrl: config.directUrl });
  const db: Database = await connectPostgres({
    url: config.url,
    poolSize: config.poolSize,
    isPooled: isTransactionPooled,
    applicationName: `attache-${service}`,
    onCommitted: (rung) => ringers()?.ring(rung),
    onAppended: (sessionId, live) => ringers()?.sendEvents(sessionId, live),
    ringing: {
      fallbackMs: () => ringers()?.ringing.fallbackMs() ?? 0,
      ring: (announced) => ringers()?.ringing.ring(announced) ?? false,
      ringEarly: (early) => ringers()?.ringing.ringEarly(early),
    },
  });
  stops.defer(() => db.close());
  return { db, clockSkewMs };
}

/** One connection of its own, for the lease of a gateway: nothing else comes before its renewal. */
export async function openLeaseLink({ database: { url } }: CommonConfig, stops: Stops): Promise<LeaseLink> {
  const open = () =>
    connectPostgres({
      ...{ url, poolSize: 1, isPooled: true, applicationName: 'attache-lease' },
      ...{ connectTimeoutMs: LEASE_TIMEOUT_MS, waitTimeoutMs: LEASE_TIMEOUT_MS },
    });
  // Nothing is connected before the first call: the next one is ready when it is needed.
  let [db, next] = await Promise.all([open(), open()]);
  const closing = new Set<Promise<void>>();
  const close = (closed: Database) => {
    const end = closed.close().finally(() => closing.delete(end));
    closing.add(end);
  };
  stops.defer(async () => {
    for (const each of [db, next]) close(each);
    await Promise.allSettled(closing);
  });
  return {
    db: () => db,
    reset() {
      close(db);
      db = next;
      void open().then((opened) => {
        next = opened;
      });
    },
  };
}

async function openStore(config: StoreConfig, service: ServiceName, stops: Stops) {
  const onBytes = createYoungCollection(collectEveryBytes[service]);
  const blobs = await createS3BlobStore({ ...config, onBytes });
  stops.defer(() => blobs.close());
  const { clockSkewMs, warnings } = await blobs.checkServer();
  return { blobs, clockSkewMs, warnings };
}

/** Opens all of these together. Rejects only once all have settled, so that those that did open are closed when another one fails. */
export async function openTogether<T extends readonly unknown[]>(
  ...opening: { [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  await Promise.allSettled(opening);
  return Promise.all(opening) as Promise<unknown> as Promise<T>;
}

/** Opens database, bus and store of one process. Refuses what would not work, with one sentence. */
export async function openProcess(config: CommonConfig, service: ServiceName, stops: Stops) {
  const log = createLogger({ service: `attache-${service}`, level: config.logLevel, redact: redactText });
  let ringers: Ringers | undefined;
  const openBus = async () => {
    const link = await connectJetstream({ url: config.natsUrl, service, log });
    stops.defer(() => link.close());
    await ensureTopology(link);
    return link;
  };
  const [{ db, clockSkewMs }, link, store] = await openTogether(
    openDatabase(config.database, service, () => ringers, stops),
    openBus(),
    openStore(config.store, service, stops),
  );
  for (const warning of store.warnings) log.warn(warning);
  warnOfClock(log, { database: clockSkewMs, 'object store': store.clockSkewMs });
  const doorbells = createNatsDoorbells({ link, publisher: service });
  const rings = createRings(link);
  ringers = { ring: doorbells.ring, sendEvents: doorbells.sendEvents, ringing: rings };
  const relay = startRelay({
    ...{ db, link, publisher: service, doorbells, log },
    reconcileAfterMs: config.reconcileAfterMs,
  });
  stops.defer(() => relay.stop());
  observeBacklog(() => relay.readBacklog());
  observeDeadLetters(() => countDeadLetters(db));
  observeBreaker(() => store.blobs.isDown());
  const bus = createJetstreamEventBus({ link, db, doorbells, log, rings });
  const checks = {
    database: () => db.checkReady(),
    'event-bus': () => bus.checkReady(),
    'blob-store': () => store.blobs.checkReady(),
  };
  return { log, db, blobs: store.blobs, link, doorbells, relay, bus, checks };
}
