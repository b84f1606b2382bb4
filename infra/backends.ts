import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { natsPermissionsOf } from '@attache/event-bus/jetstream';
import { readEnvironment } from './config.ts';
import { findNativeServers } from './find-servers.ts';
import { ensureServerProgram } from './native/build/find-or-build-server.ts';
import { keepSecret, placePostgresFolder } from './native/processes/server-folder.ts';
import type { RunningServer } from './native/processes/spawn-server.ts';
import { makeMinioKeys } from './native/servers/make-minio-keys.ts';
import { formatNatsConfig } from './native/servers/nats-config.ts';
import { startMinio } from './native/servers/start-minio.ts';
import { type RunningNats, startNats } from './native/servers/start-nats.ts';
import type { RunningObjectStore } from './native/servers/start-object-store.ts';
import { type RunningPostgres, startPostgres } from './native/servers/start-postgres.ts';
import { startVersitygw } from './native/servers/start-versitygw.ts';
import { serviceNames } from './spawn-service.ts';
import { DATABASE, describeEnvironments, OWNER, type StackProcess } from './stack-environments.ts';
import { readStackSecrets, type StackSecrets } from './stack-secrets.ts';

/** The S3 servers that a stack can have. */
export const stores = ['minio', 'versitygw'] as const;
export type StoreName = (typeof stores)[number];

const startStore = { minio: startMinio, versitygw: startVersitygw };

const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/** The servers of one hosted stack, and what its processes need to reach them. */
export type Backends = {
  /** The environment of a service, of `attache migrate`, which comes before them, or of commands of operators: all but ports and the public URL. */
  environmentOf(process: StackProcess): Record<string, string>;
  /** The key of the tenant `local`, which ingest makes at its start. */
  apiKey: string;
  servers: { postgres: RunningPostgres; nats: RunningNats; store: RunningObjectStore };
  store: StoreName;
  stop(): Promise<void>;
};

/**
 * Starts Postgres, NATS and an S3 server with data and secrets under `folder`, where a later start finds them again. `store` is the one
 * that a new folder begins with, MinIO without it; it stays. Without `isDurable`, acknowledged
 * writes outlive the servers, but not the machine.
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
  const client = store === 'minio' ? await findClient(search) : undefined;
  // The account of Postgres passes through; what is secret in here is closed by itself.
  await chmod(folder, 0o711);
  const secrets = await readStackSecrets(folder);
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
    if (client !== undefined) await makeKeys({ client, minio: servers.store, secrets, folder });
    return {
      servers,
      store,
      stop,
      apiKey: secrets.apiKey,
      environmentOf: describeEnvironments({ folder, secrets, servers, hasKeys: client !== undefined }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Keeps the store that a folder began with: a folder of one server is not opened with another. */
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
    `The stack in ${folder} keeps its files in ${store}. Start over with --fresh, or give another --folder.`,
  );
}

async function startDatabase(options: {
  programs: string;
  folder: string;
  isDurable: boolean;
  secrets: StackSecrets;
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
  secrets: StackSecrets;
}): Promise<RunningNats> {
  const { program, folder, isDurable, secrets } = options;
  const users = serviceNames.map((service) => ({
    service,
    password: secrets.nats[service],
    permissions: natsPermissionsOf(service),
  }));
  return startNats({ program, folder: join(folder, 'nats'), config: formatNatsConfig({ users, isDurable }) });
}

/** The path of MinIO's client. */
async function findClient(search: Pick<Parameters<typeof ensureServerProgram>[0], 'environment' | 'onProgress'>) {
  const found = await ensureServerProgram({ ...search, name: 'mc' });
  if ('missing' in found) throw new Error(found.missing);
  return found.program;
}

async function makeKeys(options: {
  client: string;
  minio: RunningObjectStore;
  secrets: StackSecrets;
  folder: string;
}): Promise<void> {
  const { client, minio, secrets } = options;
  const folder = join(options.folder, 'mc');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await makeMinioKeys({ client, minio, keys: secrets.minio, folder, searchPath: readEnvironment().PATH ?? '' });
}
