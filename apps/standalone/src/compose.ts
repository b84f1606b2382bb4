import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAcpDriver } from '@attache/agent-process/acp';
import { createFileBlobStore } from '@attache/blob-store/file';
import { dropDeadIdempotencyKeys, type FolderLock, lockFolder, releaseClaims } from '@attache/database';
import { connectPglite } from '@attache/database/pglite';
import { redactText } from '@attache/domain';
import { createLocalDoorbells } from '@attache/event-bus';
import { createOutboxEventBus } from '@attache/event-bus/outbox';
import { startIngest } from '@attache/ingest';
import { createMediaPool } from '@attache/media';
import { type OperationsServer, serveOperations } from '@attache/operations';
import { startProjector } from '@attache/projector';
import { startRunnerGateway } from '@attache/runner-gateway';
import { createLogger } from '@attache/telemetry';
import type { StandaloneConfig } from './config.ts';
import { type DataFolder, prepareDataFolder, readSigningKeys } from './data-folder.ts';
import { ensureFirstTenant } from './first-tenant.ts';
import { startMaintenance } from './start-maintenance.ts';
import { sweepAbandonedBlobs } from './sweep-abandoned-blobs.ts';

const DRAIN_MS = 5_000;

export type RunningStandalone = {
  url: string;
  opsUrl: string;
  apiKey: string;
  keyFile: string;
  stop(): Promise<void>;
};

type Stop = () => Promise<void>;

// Short and outside the data folder: a unix socket's path may have 107 bytes.
function runtimeFolderOf(dataDir: string): string {
  const uid = process.getuid?.() ?? 0;
  return join(tmpdir(), `attache-${uid}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}`);
}

async function openStores(config: StandaloneConfig, folder: DataFolder, stops: Stop[]) {
  const doorbells = createLocalDoorbells();
  const db = await connectPglite({ folder: folder.database, onCommitted: doorbells.ring });
  stops.push(() => db.close());
  const blobs = await createFileBlobStore({ root: folder.blobs });
  const log = createLogger({ service: 'attache', level: config.logLevel });
  return { db, blobs, doorbells, log, bus: createOutboxEventBus({ db, doorbells, log }) };
}

/** Starts the three services on the embedded stack, in one process. They speak only through database and bus. */
export async function startStandalone(config: StandaloneConfig): Promise<RunningStandalone> {
  const stops: Stop[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return await compose(config, stops, stopAll);
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function compose(config: StandaloneConfig, stops: Stop[], stop: Stop): Promise<RunningStandalone> {
  const startedAt = new Date();
  const folder = await prepareDataFolder(config.dataDir);
  const lock: FolderLock = await lockFolder(folder.path);
  stops.push(() => lock.release());
  const signingKeys = await readSigningKeys(folder);
  const stores = await openStores(config, folder, stops);
  const { db, blobs } = stores;
  const { tenantId, apiKey } = await ensureFirstTenant(db, folder);
  // This process is alone on the folder: what an earlier one held or had half done is nobody's now.
  await releaseClaims(db);
  await dropDeadIdempotencyKeys(db, tenantId);
  await sweepAbandonedBlobs({ db, blobs }, startedAt);
  stops.push(startMaintenance(db, tenantId));
  let url = '';
  const baseUrl = () => `${config.publicUrl ?? url}/v1`;
  const projector = await startProjector({
    ...stores,
    media: createMediaPool({}),
    workFolder: folder.work,
    concurrency: 4,
  });
  stops.push(() => projector.stop());
  const gateway = await startGateway(config, folder, { ...stores, signingKeys, baseUrl });
  stops.push(() => gateway.stop());
  const operations: OperationsServer = await serveOperations({
    host: config.host,
    port: config.opsPort,
    checks: {
      database: () => db.checkReady(),
      'blob-store': () => blobs.checkReady(),
      'event-bus': () => stores.bus.checkReady(),
    },
  });
  stops.push(() => operations.stop());
  const ingest = await startIngest({
    ...stores,
    signingKeys,
    profiles: config.profiles,
    settings: { ...config, basePath: '/v1' },
  });
  url = ingest.url;
  stops.push(async () => {
    operations.startDraining();
    await ingest.stop();
  });
  return { url, opsUrl: operations.url, apiKey, keyFile: folder.keyFile, stop };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

function startGateway(
  config: StandaloneConfig,
  folder: DataFolder,
  stores: Stores & { signingKeys: Awaited<ReturnType<typeof readSigningKeys>>; baseUrl: () => string },
) {
  const { db, blobs, signingKeys, baseUrl } = stores;
  const client = { name: 'attache', version: '0.1.0' };
  const replicaId = `local-${createHash('sha256').update(folder.path).digest('hex').slice(0, 16)}`;
  return startRunnerGateway({
    ...stores,
    profiles: config.profiles,
    drivers: { acp: createAcpDriver({ inherited: config.inherited, redact: redactText, client }) },
    intake: { db, blobs, signingKeys, baseUrl },
    settings: {
      replicaId,
      agentsFolder: folder.agents,
      runtimeFolder: runtimeFolderOf(folder.path),
      maxOutputBytes: config.maxUploadBytes,
      drainMs: DRAIN_MS,
      bundledPrograms: config.bundledPrograms,
      readVariable: config.readVariable,
    },
  });
}
