import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

const DEBIAN_FOLDER = '/usr/lib/postgresql';
const OLDEST_MAJOR = 15;
const PROGRAMS = ['initdb', 'postgres'];
const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;

/** A cluster of its own on a free loopback port. */
export type RunningPostgres = {
  /** Connection URL of the superuser, whose password is random. */
  superuserUrl: string;
  /** URL of another login on this server. */
  urlOf(login: { user: string; password: string; database: string }): string;
  /** Stops the server that was started here and removes its folder. */
  stop(): Promise<void>;
};

type Account = { uid: number; gid: number };

/** Folder of Postgres programs, 15 or newer, found on the search path (as in PATH) or where Debian has them; the newest there. */
export async function findPostgresPrograms(searchPath: string): Promise<string | undefined> {
  const debian = existsSync(DEBIAN_FOLDER)
    ? readdirSync(DEBIAN_FOLDER)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(DEBIAN_FOLDER, version, 'bin'))
    : [];
  for (const folder of [...searchPath.split(delimiter).filter(Boolean), ...debian]) {
    if (!PROGRAMS.every((program) => existsSync(join(folder, program)))) continue;
    const { stdout } = await run(join(folder, 'postgres'), ['--version']);
    if (Number(/\d+/.exec(stdout)?.[0]) >= OLDEST_MAJOR) return folder;
  }
  return undefined;
}

/**
 * Starts a cluster in a new temporary folder. It ends with `stop`, or with this process. Run as root it works as the account
 * `postgres`, or `nobody` where there is none, since Postgres refuses root. `settings` are server settings, e.g. `{ fsync: 'off' }`.
 */
export async function startPostgres(options: {
  programs: string;
  settings?: Readonly<Record<string, string>>;
}): Promise<RunningPostgres> {
  const account = findAccount();
  const folder = await mkdtemp(join(tmpdir(), 'attache-postgres-'));
  const password = randomBytes(16).toString('hex');
  try {
    await initialise({ programs: options.programs, folder, password, account });
    const port = await findFreePort();
    const server = await startServer({ ...options, folder, port, account });
    const urlOf = (login: { user: string; password: string; database: string }) =>
      `postgres://${login.user}:${encodeURIComponent(login.password)}@127.0.0.1:${port}/${login.database}`;
    return {
      superuserUrl: urlOf({ user: 'postgres', password, database: 'postgres' }),
      urlOf,
      async stop() {
        await stopServer(server);
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function findAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  return { uid: Number(found?.[2] ?? 65534), gid: Number(found?.[3] ?? 65534) };
}

async function initialise(options: {
  programs: string;
  folder: string;
  password: string;
  account: Account | undefined;
}): Promise<void> {
  const { programs, folder, password, account } = options;
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await chmod(folder, 0o700);
  if (account) for (const path of [folder, passwordFile]) await chown(path, account.uid, account.gid);
  const args = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  await run(
    join(programs, 'initdb'),
    ['--pgdata', join(folder, 'data'), `--pwfile=${passwordFile}`, '--no-sync', ...args],
    { ...account, cwd: folder, env: { LC_ALL: 'C', TZ: 'UTC' } },
  );
  await rm(passwordFile);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no free port');
  return address.port;
}

// The watchdog reads a pipe that this process holds: when it dies, the server's process group gets a fast shutdown.
const WATCHDOG = '(read -r _ <&3; kill -s INT -- -$$) </dev/null >/dev/null 2>&1 & exec 3<&-; exec "$@"';

async function startServer(options: {
  programs: string;
  folder: string;
  port: number;
  account: Account | undefined;
  settings?: Readonly<Record<string, string>>;
}): Promise<ChildProcess> {
  const { programs, folder, port, account } = options;
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port, ...options.settings };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(
    '/bin/sh',
    ['-c', WATCHDOG, 'sh', join(programs, 'postgres'), '-D', join(folder, 'data'), ...args],
    {
      ...account,
      cwd: folder,
      env: { LC_ALL: 'C', TZ: 'UTC' },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    },
  );
  server.once('exit', () => server.stdio[3]?.destroy());
  try {
    await waitUntilReady(server);
  } catch (error) {
    await stopServer(server);
    throw error;
  }
  return server;
}

async function waitUntilReady(server: ChildProcess): Promise<void> {
  const said: string[] = [];
  const { stderr } = server;
  if (!stderr) throw new Error('the server has no standard error');
  const timer = setTimeout(() => stderr.destroy(), READY_TIMEOUT_MS);
  try {
    for await (const line of createInterface({ input: stderr })) {
      if (line.includes('database system is ready to accept connections')) return;
      said.push(line);
    }
  } finally {
    clearTimeout(timer);
    // Its later lines are nobody's, but the pipe must stay open and empty.
    if (!stderr.destroyed) stderr.resume();
  }
  throw new Error(`Postgres did not start:\n${said.slice(-20).join('\n')}`);
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  // Fast shutdown, then an immediate one.
  server.kill('SIGINT');
  const timer = setTimeout(() => server.kill('SIGQUIT'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
