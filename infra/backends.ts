import { randomBytes } from 'node:crypto';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { natsPermissionsOf } from '@attache/event-bus/jetstream';
import { createApiKeySecret } from '@attache/operator/api-key-secret';
import { generateKey } from '@attache/secrets/generate-key';
import { readEnvironment } from './config.ts';
import { findNativeServers } from './find-servers.ts';
import { keepSecret, placePostgresFolder } from './native/processes/server-folder.ts';
import type { RunningServer } from './native/processes/spawn-server.ts';
import { formatNatsConfig } from './native/servers/nats-config.ts';
import { startMinio } from './native/servers/start-minio.ts';
import { type RunningNats, startNats } from './native/servers/start-nats.ts';
import type { RunningObjectStore } from './native/servers/start-object-store.ts';
import { type RunningPostgres, startPostgres } from './native/servers/start-postgres.ts';
import { startVersitygw } from './native/servers/start-versitygw.ts';
import { type ServiceName, serviceNames } from './spawn-service.ts';

/** The S3 servers that a stack can have. */
export const stores = ['minio', 'versitygw'] as const;
export type StoreName = (typeof stores)[number];

const startStore = { minio: startMinio, versitygw: startVersitygw };

const DATABASE = 'attache';
const OWNER = 'attache_migrator';
const LOGINS = { ingest: 'attache_ingest', projector: 'attache_projector', 'runner-gateway': 'attache_gateway' };
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/** The servers of one hosted stack, and what its processes need to reach them. */
export type Backends = {
  /** The environment of a service, or of `attache migrate`, which comes before them: all but ports and the public URL. */
  environmentOf(process: ServiceName | 'migrate'): Record<string, string>;
  /** Of the tenant `local`, which ingest makes at its start. */
  apiKey: string;
  servers: { postgres: RunningPostgres; nats: RunningNats; store: RunningObjectStore };
  store: StoreName;
  stop(): Promise<void>;
};

/**
 * Starts Postgres, NATS and an S3 server with data and secrets under `folder`, where a later start finds them again. `store` is the one
 * that a new folder begins with, MinIO without it; it stays. Without `isDurable` what they
 * acknowledge outlives the servers, but not the machine.
 * @throws Error that says which server cannot be had, and what to do about it
 */
export async function startBackends(options: {
  folder: string;
  isDurable: boolean;
  store?: StoreName | undefined;
  onProgress?(line: string): void;
}): Promise<Backends> {
  const { folder } = options;
  const store = await keepStore(folder, options.store);
  const search = { environment: readEnvironment(), ...(options.onProgress && { onProgress: options.onProgress }) };
  const { programs, missing } = await findNativeServers(search, ['postgres', 'nats', store]);
  if (missing.length > 0) throw new Error(missing.map(({ why }) => why).join('\n'));
  // The account of Postgres passes through; what is secret in here is closed by itself.
  await chmod(folder, 0o711);
  const secrets = await readSecrets(folder);
  const running: RunningServer[] = [];
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
  };
  const started = async <S extends RunningServer>(starting: Promise<S>): Promise<S> => {
    const server = await starting;
    running.push(server);
    return server;
  };
  try {
    // First, since it refuses a folder that another one uses.
    const postgres = await started(startDatabase({ ...options, programs: programs.postgres ?? '', secrets }));
    const nats = await started(startBus({ ...options, program: programs.nats ?? '', secrets }));
    const place = { program: programs[store] ?? '', folder: join(folder, store) };
    const servers = { postgres, nats, store: await started(startStore[store](place)) };
    return {
      servers,
      store,
      stop,
      apiKey: secrets.apiKey,
      environmentOf: describeEnvironments(folder, secrets, servers),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What is stored stays where it is: a folder that began with one server is not opened with another. */
async function keepStore(folder: string, wanted: StoreName | undefined): Promise<StoreName> {
  await mkdir(folder, { recursive: true });
  // A folder of an earlier release has no note, and MinIO.
  const isOld = await stat(join(folder, 'minio')).catch(() => undefined);
  const kept = await keepSecret(folder, 'store', () => (isOld ? 'minio' : (wanted ?? 'minio')));
  const store = stores.find((name) => name === kept.trim());
  if (store === undefined)
    throw new Error(`${join(folder, 'store')} names no store: remove the folder, or give another one.`);
  if (wanted === undefined || wanted === store) return store;
  throw new Error(
    `The stack in ${folder} keeps its files in ${store}. Begin anew with --fresh, or give another --folder.`,
  );
}

type Secrets = {
  apiKey: string;
  signingKeys: string;
  /** Both halves of one pair, one line each. */
  secretKeys: { private: string; public: string };
  owner: string;
  database: Record<ServiceName, string>;
  nats: Record<ServiceName, string>;
};

async function readSecrets(folder: string): Promise<Secrets> {
  const secretsFolder = join(folder, 'secrets');
  await mkdir(secretsFolder, { recursive: true, mode: 0o700 });
  const perService = async (prefix: string): Promise<Record<ServiceName, string>> => ({
    ingest: await keepSecret(secretsFolder, `${prefix}-ingest`),
    projector: await keepSecret(secretsFolder, `${prefix}-projector`),
    'runner-gateway': await keepSecret(secretsFolder, `${prefix}-runner-gateway`),
  });
  return {
    apiKey: (await keepSecret(folder, 'api-key', () => `${createApiKeySecret().apiKey}\n`)).trim(),
    signingKeys: await keepSecret(secretsFolder, 'signing-keys', () => `k1:${randomBytes(32).toString('hex')}`),
    secretKeys: await keepPair(secretsFolder),
    owner: await keepSecret(secretsFolder, 'database-owner'),
    database: await perService('database'),
    nats: await perService('nats'),
  };
}

async function keepPair(folder: string): Promise<Secrets['secretKeys']> {
  const makePair = () => Object.values(generateKey()).join('\n');
  const [privateKey = '', publicKey = ''] = (await keepSecret(folder, 'secret-keys', makePair)).split('\n');
  return { private: privateKey, public: publicKey };
}

async function startDatabase(options: {
  programs: string;
  folder: string;
  isDurable: boolean;
  secrets: Secrets;
}): Promise<RunningPostgres> {
  return startPostgres({
    programs: options.programs,
    folder: await placePostgresFolder(options.folder),
    settings: options.isDurable ? {} : NOT_DURABLE,
    firstStatements: [
      `create role ${OWNER} login nosuperuser createrole nobypassrls password '${options.secrets.owner}'`,
      `create database ${DATABASE} owner ${OWNER}`,
    ],
  });
}

function startBus(options: {
  program: string;
  folder: string;
  isDurable: boolean;
  secrets: Secrets;
}): Promise<RunningNats> {
  const { program, folder, isDurable, secrets } = options;
  const users = serviceNames.map((service) => ({
    service,
    password: secrets.nats[service],
    permissions: natsPermissionsOf(service),
  }));
  return startNats({ program, folder: join(folder, 'nats'), config: formatNatsConfig({ users, isDurable }) });
}

function describeEnvironments(folder: string, secrets: Secrets, { postgres, nats, store: s3 }: Backends['servers']) {
  const store = {
    ATTACHE_S3_ENDPOINT: s3.endpoint,
    ATTACHE_S3_BUCKET: 'attache',
    ATTACHE_S3_ACCESS_KEY: s3.accessKey,
    ATTACHE_S3_SECRET_KEY: s3.secretKey,
  };
  const urlOf = (user: string, password: string) => postgres.urlOf({ user, password, database: DATABASE });
  return (process: ServiceName | 'migrate'): Record<string, string> => {
    if (process === 'migrate')
      return {
        ...store,
        ATTACHE_DATABASE_URL: urlOf(OWNER, secrets.owner),
        ATTACHE_DATABASE_INGEST_PASSWORD: secrets.database.ingest,
        ATTACHE_DATABASE_PROJECTOR_PASSWORD: secrets.database.projector,
        ATTACHE_DATABASE_GATEWAY_PASSWORD: secrets.database['runner-gateway'],
      };
    return {
      ...store,
      ATTACHE_DATABASE_URL: urlOf(LOGINS[process], secrets.database[process]),
      ATTACHE_NATS_URL: nats.url.replace('//', `//${process}:${secrets.nats[process]}@`),
      ATTACHE_SIGNING_KEYS: secrets.signingKeys,
      ATTACHE_DATA_DIR: join(folder, process),
      ...(process === 'ingest' && {
        ATTACHE_INIT_TENANT: 'local',
        ATTACHE_INIT_API_KEY: secrets.apiKey,
        ATTACHE_SECRET_PUBLIC_KEY: secrets.secretKeys.public,
      }),
      ...(process === 'runner-gateway' && { ATTACHE_SECRET_KEYS: secrets.secretKeys.private }),
    };
  };
}
