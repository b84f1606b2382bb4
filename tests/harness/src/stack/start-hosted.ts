import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKeySecret } from '@attache/api-keys/api-key-secret';
import { ensureBucket } from '@attache/blob-store/s3';
import { createHostedDatabase, type HostedDatabase } from '@attache/database/contract/hosted-database';
import { natsPermissionsOf } from '@attache/event-bus/jetstream';
import { findFreePort } from '@attache/infra/native/processes/free-port';
import { formatNatsConfig } from '@attache/infra/native/servers/nats-config';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import { generateKey } from '@attache/secrets/generate-key';
import type { StackLimits } from '@attache/standalone';
import { type Api, createApi } from '../api.ts';
import { restoreProbes } from './kept-probes.ts';
import { type ServiceName, type SpawnedService, spawnService } from './spawn-service.ts';

/** Servers that stacks share, and how to start a NATS server: each stack has its own. */
export type HostedServers = {
  postgres: { superuserUrl: string };
  minio: { endpoint: string; accessKey: string; secretKey: string };
  startNats: ServerStarts['nats'];
};

export type HostedOptions = {
  servers: HostedServers;
  /** Contents of the profiles file; the bundled ones without it. */
  profiles?: Record<string, unknown> | undefined;
  signingKeys?: string | undefined;
  /** A bundled command line; the sources without it. */
  cli?: string | undefined;
  /** For all services, besides what they need. */
  environment?: Readonly<Record<string, string>> | undefined;
  /** In the place of the product's own. */
  limits?: StackLimits | undefined;
  /** How many gateways there are; one without it. */
  gatewayCount?: number | undefined;
};

type Nats = Awaited<ReturnType<ServerStarts['nats']>>;

/** The three services on servers of their own kind: a database, a NATS server and a bucket for this stack alone. */
export type HostedStack = {
  readonly url: string;
  readonly apiKey: string;
  readonly api: Api;
  readonly dataDir: string;
  readonly database: HostedDatabase;
  readonly nats: Nats;
  readonly services: Record<ServiceName, SpawnedService>;
  /** Gateways besides the first one. */
  readonly moreGateways: readonly ExtraGateway[];
  /** The log file of each service, for readers in another process. */
  readonly logFiles: Record<ServiceName, string>;
  environmentOf(service: ServiceName): Record<string, string>;
  /** Starts a service that has ended. */
  start(service: ServiceName): Promise<void>;
  /** Ends one service and starts it again. */
  restart(service: ServiceName, signal: NodeJS.Signals, changes?: Record<string, string>): Promise<void>;
  stopServices(): Promise<void>;
  /** Stops all and removes what is this stack's. */
  stop(): Promise<void>;
};

export type ExtraGateway = { service: SpawnedService; dataDir: string; logFile: string };

const services = ['ingest', 'projector', 'runner-gateway'] as const;
const loginOf = { ingest: 'ingest', projector: 'projector', 'runner-gateway': 'gateway' } as const;

async function startOwnNats(
  startNats: ServerStarts['nats'],
): Promise<{ nats: Nats; urlOf(service: ServiceName): string }> {
  const users = services.map((service) => ({ service, password: randomBytes(12).toString('hex') }));
  const withPermissions = users.map((user) => ({ ...user, permissions: natsPermissionsOf(user.service) }));
  const nats = await startNats({ config: formatNatsConfig({ users: withPermissions }) });
  return {
    nats,
    urlOf(service) {
      const password = users.find((user) => user.service === service)?.password ?? '';
      return nats.url.replace('nats://', `nats://${service}:${password}@`);
    },
  };
}

async function createBucket(minio: HostedServers['minio']): Promise<string> {
  const bucket = `attache-${randomBytes(6).toString('hex')}`;
  const { endpoint, accessKey, secretKey } = minio;
  await ensureBucket({ endpoint, accessKey, secretKey, region: 'us-east-1', bucket });
  return bucket;
}

async function writeProfiles(dataDir: string, profiles: HostedOptions['profiles']): Promise<Record<string, string>> {
  if (!profiles) return {};
  const path = join(dataDir, 'profiles.json');
  await writeFile(path, JSON.stringify({ profiles }));
  return { ATTACHE_PROFILES: path };
}

/** Starts the hosted stack: backends first, then the three services side by side. */
export async function startHosted(options: HostedOptions): Promise<HostedStack> {
  const { postgres, minio, startNats } = options.servers;
  const dataDir = await mkdtemp(join(tmpdir(), 'attache-hosted-'));
  const [database, { nats, urlOf }, bucket, port] = await Promise.all([
    createHostedDatabase(postgres.superuserUrl),
    startOwnNats(startNats),
    createBucket(minio),
    findFreePort(),
  ]);
  await restoreProbes(database.superuserUrl, process.env.ATTACHE_TEST_BUNDLE);
  const url = `http://127.0.0.1:${port}`;
  const { apiKey } = createApiKeySecret(randomUUID());
  const { privateKey, publicKey } = generateKey();
  const common = {
    ATTACHE_OPS_PORT: '0',
    ATTACHE_LOG_LEVEL: 'info',
    ATTACHE_PUBLIC_URL: url,
    ATTACHE_SIGNING_KEYS: options.signingKeys ?? `k1:${randomBytes(32).toString('hex')}`,
    ATTACHE_S3_ENDPOINT: minio.endpoint,
    ATTACHE_S3_BUCKET: bucket,
    ATTACHE_S3_ACCESS_KEY: minio.accessKey,
    ATTACHE_S3_SECRET_KEY: minio.secretKey,
    ...(await writeProfiles(dataDir, options.profiles)),
    ...options.environment,
  };
  const own: Record<ServiceName, Record<string, string>> = {
    ingest: {
      ATTACHE_PORT: String(port),
      ATTACHE_INIT_TENANT: 'local',
      ATTACHE_INIT_API_KEY: apiKey,
      ATTACHE_SECRET_PUBLIC_KEY: publicKey,
    },
    projector: {},
    // Not that of another stack on this machine: a gateway ends the children of its own earlier life.
    'runner-gateway': {
      ATTACHE_REPLICA_ID: `gateway-${randomBytes(6).toString('hex')}`,
      ATTACHE_SECRET_KEYS: privateKey,
    },
  };
  let changed: Record<string, string> = {};
  const environmentOf = (service: ServiceName) => ({
    ...common,
    ...own[service],
    ATTACHE_DATA_DIR: join(dataDir, service),
    ATTACHE_DATABASE_URL: database.urlOf(loginOf[service]),
    ATTACHE_NATS_URL: urlOf(service),
    HOME: dataDir,
    ...changed,
  });
  for (const service of services) await mkdir(join(dataDir, service));
  const logFileOf = (service: ServiceName) => join(dataDir, `${service}.log`);
  const logFiles = {
    ingest: logFileOf('ingest'),
    projector: logFileOf('projector'),
    'runner-gateway': logFileOf('runner-gateway'),
  };
  const running = {} as Record<ServiceName, SpawnedService>;
  const start = async (service: ServiceName) => {
    const run = { cli: options.cli, limits: options.limits, logFile: logFiles[service] };
    running[service] = await spawnService(service, environmentOf(service), run);
  };
  const moreGateways: ExtraGateway[] = [];
  const startGateway = async (place: number) => {
    const folder = join(dataDir, `runner-gateway-${place}`);
    await mkdir(folder);
    const { ATTACHE_REPLICA_ID: name } = own['runner-gateway'];
    const environment = { ...environmentOf('runner-gateway'), ATTACHE_DATA_DIR: folder };
    const logFile = join(dataDir, `runner-gateway-${place}.log`);
    const run = { cli: options.cli, limits: options.limits, logFile };
    const service = await spawnService(
      'runner-gateway',
      { ...environment, ATTACHE_REPLICA_ID: `${name}-${place}` },
      run,
    );
    moreGateways.push({ service, dataDir: folder, logFile });
  };
  const stopServices = async () => {
    const all = [...Object.values(running), ...moreGateways.map(({ service }) => service)];
    await Promise.all(all.map((service) => service.end('SIGTERM')));
  };
  const stop = async () => {
    await stopServices();
    await Promise.all([nats.stop(), database.drop(), rm(dataDir, { recursive: true, force: true })]);
  };
  const started = await Promise.allSettled([
    ...services.map(start),
    ...Array.from({ length: (options.gatewayCount ?? 1) - 1 }, (_, index) => startGateway(index + 2)),
  ]);
  const failed = started.find((each) => each.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return {
    url,
    apiKey,
    api: createApi(url, apiKey),
    dataDir,
    database,
    nats,
    services: running,
    moreGateways,
    logFiles,
    environmentOf,
    start,
    async restart(service, signal, changes = {}) {
      changed = { ...changed, ...changes };
      await running[service].end(signal);
      await start(service);
    },
    stopServices,
    stop,
  };
}
