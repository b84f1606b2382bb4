import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findNativeServers } from '@attache/infra/find-servers';
import { startMinio } from '@attache/infra/native/servers/start-minio';
import { type RunningNats, startNats } from '@attache/infra/native/servers/start-nats';
import { startPostgres } from '@attache/infra/native/servers/start-postgres';
import postgres from 'postgres';

const run = promisify(execFile);

/** Servers with the settings that they come with, where `settings` of Postgres says no other: what they acknowledge is as durable as it is out of the box. */
export type Backends = {
  postgres: {
    pid: number;
    superuserUrl: string;
    urlOf(login: { user: string; password: string; database: string }): string;
  };
  minio: { pid: number; endpoint: string; accessKey: string; secretKey: string };
  startNats(options: { config?: string }): Promise<RunningNats>;
  /** Versions and the settings that matter here, for the reader. */
  descriptions: Record<string, string>;
  stop(): Promise<void>;
};

export async function startBackends(
  say: (line: string) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<Backends> {
  const { programs, missing } = await findNativeServers({ environment: process.env, onProgress: say }, [
    'postgres',
    'nats',
    'minio',
  ]);
  if (missing.length > 0) throw new Error(missing.map(({ why }) => why).join('\n'));
  const { postgres: postgresPrograms = '', nats = '', minio = '' } = programs;
  const database = await startPostgres({ programs: postgresPrograms, settings });
  try {
    const store = await startMinio({ program: minio });
    return {
      postgres: database,
      minio: store,
      startNats: (options) => startNats({ ...options, program: nats }),
      descriptions: {
        Postgres: await describePostgres(database.superuserUrl, join(postgresPrograms, 'postgres')),
        NATS: `${await readVersion(nats)}, JetStream on files, its own sync_interval (2 min: an ack is not on disk)`,
        MinIO: `${await readVersion(minio)}, one drive, its own settings`,
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
  // What was built from a module says nothing of its version, but its folder does.
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
