import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findNativeServers } from '@attache/infra/find-servers';
import { startMinio } from '@attache/infra/native/servers/start-minio';
import { type RunningNats, startNats } from '@attache/infra/native/servers/start-nats';
import { startPostgres } from '@attache/infra/native/servers/start-postgres';
import { startVersitygw } from '@attache/infra/native/servers/start-versitygw';
import postgres from 'postgres';

const run = promisify(execFile);

export type StoreName = 'minio' | 'versitygw';

const stores = {
  minio: {
    start: startMinio,
    name: 'MinIO',
    said: 'one drive, its own settings: a file is on the disk before its answer',
  },
  versitygw: {
    start: startVersitygw,
    name: 'versitygw',
    said: 'plain files, its own settings: a file is in the page cache at its answer',
  },
};

/** Servers with their default settings, unless `settings` of Postgres says otherwise: what they acknowledge is as durable as it is out of the box. */
export type Backends = {
  postgres: {
    pid: number;
    superuserUrl: string;
    urlOf(login: { user: string; password: string; database: string }): string;
  };
  store: { pid: number; endpoint: string; accessKey: string; secretKey: string };
  startNats(options: { config?: string }): Promise<RunningNats>;
  /** Versions and the settings that matter here, for the reader. */
  descriptions: Record<string, string>;
  stop(): Promise<void>;
};

/** Enough for the services and for the pool that each floor keeps. */
const MOST_CONNECTIONS = '200';

export async function startBackends(
  say: (line: string) => void,
  {
    settings = {},
    store: storeName = 'minio',
  }: { settings?: Readonly<Record<string, string>>; store?: StoreName } = {},
): Promise<Backends> {
  const { programs, missing } = await findNativeServers({ environment: process.env, onProgress: say }, [
    'postgres',
    'nats',
    storeName,
  ]);
  if (missing.length > 0) throw new Error(missing.map(({ why }) => why).join('\n'));
  const { postgres: postgresPrograms = '', nats = '' } = programs;
  const storeProgram = programs[storeName] ?? '';
  const { start: startStore, name, said } = stores[storeName];
  const database = await startPostgres({
    programs: postgresPrograms,
    settings: { max_connections: MOST_CONNECTIONS, ...settings },
  });
  try {
    const store = await startStore({ program: storeProgram });
    return {
      postgres: database,
      store,
      startNats: (options) => startNats({ ...options, program: nats }),
      descriptions: {
        Postgres: await describePostgres(database.superuserUrl, join(postgresPrograms, 'postgres')),
        NATS: `${await readVersion(nats)}, JetStream on files, its own sync_interval (2 min: an ack is not on disk)`,
        [name]: `${await readVersion(storeProgram)}, ${said}`,
      },
      stop: async () => {
        await Promise.all([database.stop(), store.stop()]);
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function readVersion(program: string): Promise<string> {
  // A program that was built from a module does not report its version, but its folder does.
  const built = /-(v[^/]+)\/[^/]+$/.exec(program)?.[1];
  if (built !== undefined) return built;
  const { stdout } = await run(program, ['--version']);
  return /v?\d[\w.-]*\d/.exec(stdout)?.[0] ?? stdout.trim();
}

async function describePostgres(url: string, program: string): Promise<string> {
  const sql = postgres(url, { max: 1 });
  const [row] =
    await sql`select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync, current_setting('wal_sync_method') as method`;
  await sql.end();
  return `${await readVersion(program)}, fsync ${row?.fsync}, synchronous_commit ${row?.sync}, ${row?.method}`;
}
