import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createAgentUsers, sandboxWorkers, shareUsers } from '@attache/agent-process';
import { createFileBlobStore } from '@attache/blob-store/file';
import { createYoungCollection } from '@attache/blob-store/young-collection';
import { type Profiles, subjects } from '@attache/contracts';
import {
  countDeadLetters,
  type Database,
  type FolderLock,
  lockFolder,
  readBacklog,
  releaseClaims,
} from '@attache/database';
import { connectPglite } from '@attache/database/pglite';
import { redactText } from '@attache/domain';
import { createLocalDoorbells } from '@attache/event-bus';
import { createOutboxEventBus } from '@attache/event-bus/outbox';
import { startIngest } from '@attache/ingest';
import { createMediaPool, defaultMediaPoolOptions, type MediaPool } from '@attache/media';
import { type ModelRelay, startModelRelay } from '@attache/model-relay';
import { operatorSocketPath, serveOperatorSocket } from '@attache/operator';
import {
  createLiveProfiles,
  leaveOutUnreachable,
  type OperationsServer,
  readDescriptorLimit,
  reloadProfiles,
  requireFreePort,
  runtimeFolderOf,
  serveOperations,
  shareDescriptors,
} from '@attache/process-setup';
import { loadDrivers } from '@attache/programs/drivers';
import { type SettledSandbox, settleSandbox } from '@attache/programs/settle-sandbox';
import { startProjector } from '@attache/projector';
import { startRunnerGateway } from '@attache/runner-gateway';
import { findSealingKey } from '@attache/secrets/open';
import { createLogger, type Logger, observeBacklog, observeDeadLetters } from '@attache/telemetry';
import { startUpkeep, sweepNow } from '@attache/upkeep';
import { PERMISSION_MODE, type StandaloneConfig } from './config.ts';
import { type DataFolder, prepareDataFolder, readSigningKeys } from './data-folder.ts';
import { ensureFirstTenant } from './first-tenant.ts';
import { readSecretKeys } from './secret-keys.ts';

const DRAIN_MS = 5_000;
const UPKEEP_PERIOD_MS = 10 * 60_000;
/** The database works in this process: more reads of one tenant at a time would not be faster, and hold up others. */
const PUBLIC_TERMS = { readsTogether: 1, basePath: '/v1', permissionMode: PERMISSION_MODE } as const;
const COLLECT_EVERY_BYTES = 16 * 1024 * 1024;

export type RunningStandalone = {
  url: string;
  opsUrl: string;
  apiKey: string;
  keyFile: string;
  /** For people, one line each: why agents run without a sandbox, and which profiles are left out. */
  notices: readonly string[];
  /** Reads the profiles again, for the next plan and the next start of an agent. Faulty ones change nothing and are logged. */
  reloadProfiles(): void;
  stop(): Promise<void>;
};

type Stop = () => Promise<void>;

/** The parts that the surrounding process gives the stack. */
export type Surroundings = {
  /** All metrics of the process, if it counts any. */
  renderMetrics?: (() => Promise<string>) | undefined;
};

async function openStores(config: StandaloneConfig, folder: DataFolder, stops: Stop[]) {
  const doorbells = createLocalDoorbells();
  const { ring, sendEvents } = doorbells;
  const db = await connectPglite({ folder: folder.database, onCommitted: ring, onAppended: sendEvents });
  stops.push(() => db.close());
  const stopObserving = observeDatabase(db);
  const blobs = await createFileBlobStore({ root: folder.blobs, onBytes: createYoungCollection(COLLECT_EVERY_BYTES) });
  stops.push(async () => stopObserving());
  const log = createLogger({ service: 'attache', level: config.logLevel, redact: redactText });
  return { db, blobs, doorbells, log, bus: createOutboxEventBus({ db, doorbells, log }) };
}

function observeDatabase(db: Database): () => void {
  const stops = [observeBacklog(() => readBacklog(db, subjects)), observeDeadLetters(() => countDeadLetters(db))];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Starts the three services on the embedded stack, in one process. They speak only through database and bus. */
export async function startStandalone(
  config: StandaloneConfig,
  surroundings: Surroundings = {},
): Promise<RunningStandalone> {
  const stops: Stop[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return await compose(config, surroundings, stops, stopAll);
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function compose(
  config: StandaloneConfig,
  surroundings: Surroundings,
  stops: Stop[],
  stop: Stop,
): Promise<RunningStandalone> {
  const startedAt = new Date();
  const sandbox = await settleSandbox({ need: 'where-it-works' }, config.inherited.PATH);
  const folder = await holdFolder(config, stops);
  const signingKeys = await readSigningKeys(folder);
  const secretKeys = await readSecretKeys(folder.path);
  const stores = await openStores(config, folder, stops);
  const { db } = stores;
  const { apiKey } = await ensureFirstTenant(db, folder);
  // This process is alone on the folder: what an earlier one held or had half done is nobody's now.
  await releaseClaims(db);
  await sweepNow(stores, startedAt);
  const upkeep = startUpkeep({ ...stores, periodMs: UPKEEP_PERIOD_MS });
  stops.push(() => upkeep.stop());
  const operated = { ...stores, secretKeys };
  const operating = await serveOperatorSocket({ path: operatorSocketPath(folder.path), deps: operated });
  stops.push(() => operating.stop());
  let url = '';
  const baseUrl = () => `${config.publicUrl ?? url}/v1`;
  const offered = leaveOutUnreachable({ profiles: config.profiles, warnings: [] }, sandbox.byDefault);
  const live = createLiveProfiles(offered.profiles);
  const { profiles } = live;
  const media = await openMedia(config, folder, stores.log);
  const projector = await startProjector({ ...stores, media, workFolder: folder.work, concurrency: 4 });
  stops.push(() => projector.stop());
  const relay = await startModelRelay({ log: stores.log, spoolFolder: folder.work });
  stops.push(() => relay.stop());
  const bounds = shareDescriptors(readDescriptorLimit());
  const parts = { ...stores, signingKeys, secretKeys, media, relay, profiles, baseUrl };
  const gateway = await startGateway({ ...config, ...bounds, sandbox }, folder, parts);
  stops.push(() => gateway.stop());
  const operations = await serveHealth(config, surroundings, stores);
  stops.push(() => operations.stop());
  const ingest = await startIngest({
    ...stores,
    signingKeys,
    sealingKey: secretKeys[0] && (await findSealingKey(secretKeys[0])),
    profiles,
    settings: { ...config, ...PUBLIC_TERMS, bounds },
  });
  url = ingest.url;
  stops.push(async () => {
    operations.startDraining();
    await ingest.stop();
  });
  const readProfiles = () => leaveOutUnreachable(config.readProfiles(), sandbox.byDefault);
  const onReplaced = gateway.askPrograms;
  const reload = () => reloadProfiles({ live, readProfiles, onReplaced, log: stores.log });
  const { keyFile } = folder;
  const notices = [...(sandbox.notice === undefined ? [] : [sandbox.notice]), ...offered.warnings];
  return { url, opsUrl: operations.url, apiKey, keyFile, notices, reloadProfiles: reload, stop };
}

/** Holds the data folder, and looks for the ports: before the database is opened, which takes seconds. */
async function holdFolder({ dataDir, host, port, opsPort }: StandaloneConfig, stops: Stop[]): Promise<DataFolder> {
  const folder = await prepareDataFolder(dataDir);
  const lock: FolderLock = await lockFolder(folder.path);
  stops.push(() => lock.release());
  await requireFreePort({ host, port, setting: 'ATTACHE_PORT' });
  await requireFreePort({ host, port: opsPort, setting: 'ATTACHE_OPS_PORT' });
  return folder;
}

/** Workers see the files that they look at, and nothing else of this process's, if a sandbox can be made. */
async function openMedia(config: StandaloneConfig, { path }: DataFolder, log: Logger) {
  const { workerPath } = defaultMediaPoolOptions;
  const privateFolders = [path, runtimeFolderOf(path)];
  const exchangeFolder = join(path, 'media');
  const user = config.agentUsers && shareUsers(config.agentUsers).media;
  const place = { workerPath, exchangeFolder, privateFolders, searchPath: config.inherited.PATH, user };
  const sandbox = await sandboxWorkers(place, (notice, diagnostic) => log.warn({ diagnostic }, notice));
  return createMediaPool({ ...config.media, ...config.limits?.media, sandbox });
}

type Stores = Awaited<ReturnType<typeof openStores>>;

function serveHealth(
  { host, opsPort }: StandaloneConfig,
  { renderMetrics }: Surroundings,
  { db, blobs, bus }: Stores,
): Promise<OperationsServer> {
  return serveOperations({
    ...{ host, port: opsPort, metrics: renderMetrics },
    checks: {
      database: () => db.checkReady(),
      'blob-store': () => blobs.checkReady(),
      'event-bus': () => bus.checkReady(),
    },
  });
}

async function startGateway(
  config: StandaloneConfig & { sandbox: SettledSandbox; agentConnections: number },
  folder: DataFolder,
  stores: Stores & {
    media: MediaPool;
    relay: ModelRelay;
    profiles: Profiles;
    signingKeys: Awaited<ReturnType<typeof readSigningKeys>>;
    secretKeys: Awaited<ReturnType<typeof readSecretKeys>>;
    baseUrl: () => string;
  },
) {
  const { db, blobs, signingKeys, baseUrl } = stores;
  const client = { name: 'attache', version: '0.1.0' };
  const replicaId = `local-${createHash('sha256').update(folder.path).digest('hex').slice(0, 16)}`;
  return startRunnerGateway({
    ...stores,
    drivers: await loadDrivers({
      inherited: config.inherited,
      users: config.agentUsers && createAgentUsers(shareUsers(config.agentUsers).agents),
      redact: redactText,
      client,
    }),
    intake: { db, blobs, signingKeys, baseUrl },
    settings: {
      replicaId,
      // The process that holds the folder holds the database in it, so an earlier life is over.
      incarnation: { file: folder.incarnation, isFormerDead: true },
      agentsFolder: folder.agents,
      runtimeFolder: runtimeFolderOf(folder.path),
      privateFolders: [folder.path, runtimeFolderOf(folder.path)],
      maxOutputBytes: config.maxUploadBytes,
      limits: config.limits,
      drainMs: config.limits?.drainMs ?? DRAIN_MS,
      maxAgents: config.maxAgents,
      maxAgentConnections: config.agentConnections,
      permissionMode: PERMISSION_MODE,
      sandbox: config.sandbox.byDefault,
      bundledPrograms: config.bundledPrograms,
      readVariable: config.readVariable,
    },
  });
}
