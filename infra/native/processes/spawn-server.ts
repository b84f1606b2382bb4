import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from './free-port.ts';
import { listDescendants, waitUntilGone } from './process-table.ts';
import { type GuardedProcess, spawnGuarded } from './spawn-guarded.ts';

const READY_TIMEOUT_MS = 60_000;
const READY_INTERVAL_MS = 20;
const STOP_TIMEOUT_MS = 20_000;
const KILL_TIMEOUT_MS = 20_000;
const PORT_ATTEMPTS = 5;
const LAST_LINES_TIMEOUT_MS = 1_000;

/** How one server is started. */
export type ServerCommand = {
  /** As it is called in messages, e.g. `NATS`. */
  name: string;
  /** Absolute path. */
  program: string;
  args: readonly string[];
  /** Its working folder. */
  folder: string;
  /** All of its environment. */
  environment: Readonly<Record<string, string>>;
  /** The account it runs as; that of this process if none is given. */
  account?: { uid: number; gid: number } | undefined;
  /** Asks for an orderly end. It is sent when this process dies, too. */
  stopSignal: 'SIGINT' | 'SIGTERM';
  /** Whether the server answers a real request. */
  isReady(): Promise<boolean>;
};

/** A server that ends with `stop`, or with the process that started it. */
export type RunningServer = {
  /** Process id of the server as it runs now: another one after each `start`. */
  readonly pid: number;
  /** SIGKILL to the server and all its processes; resolves when they are gone. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port and folder; resolves when it answers. */
  start(): Promise<void>;
  /** Orderly end; removes the folder where it was made for this server. */
  stop(): Promise<void>;
};

/**
 * Starts a server on the given port, or on a free one. `removedFolder` goes when it stops, or when it cannot be started.
 * @throws Error with the server's last lines when it does not answer in time
 */
export async function runServer(options: {
  port: number | undefined;
  commandOf(port: number): ServerCommand;
  removedFolder?: string | undefined;
}): Promise<RunningServer & { readonly port: number }> {
  const { removedFolder } = options;
  const removeFolder = async () => {
    if (removedFolder !== undefined) await rm(removedFolder, { recursive: true, force: true });
  };
  let { port, command, server } = await startOnPort(options).catch(async (error) => {
    await removeFolder();
    throw error;
  });
  return {
    port,
    get pid() {
      return server.pid;
    },
    kill: () => killServer(server),
    async start() {
      if (!hasEnded(server)) throw new Error(`${command.name} still runs: kill it before it is started again`);
      server = await startServer(command);
    },
    async stop() {
      await stopServer(server, command.stopSignal);
      await removeFolder();
    },
  };
}

type StartedOnPort = { port: number; command: ServerCommand; server: GuardedProcess };

// Another process can take a free port before the server has it.
async function startOnPort(options: {
  port: number | undefined;
  commandOf(port: number): ServerCommand;
}): Promise<StartedOnPort> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await findFreePort());
    const command = options.commandOf(port);
    try {
      return { port, command, server: await startServer(command) };
    } catch (error) {
      const isTaken = options.port === undefined && /already in use/i.test(String(error));
      if (!isTaken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startServer(command: ServerCommand): Promise<GuardedProcess> {
  const server = spawnGuarded({ ...command, lastSignal: command.stopSignal });
  try {
    await waitUntilReady(command, server);
  } catch (error) {
    await killServer(server);
    throw error;
  }
  return server;
}

async function waitUntilReady(command: ServerCommand, server: GuardedProcess): Promise<void> {
  const end = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < end && !hasEnded(server)) {
    // An answer may be that of another server on the port, while this one has not yet noticed.
    if ((await command.isReady()) && !hasEnded(server)) return;
    await wait(READY_INTERVAL_MS);
  }
  if (hasEnded(server)) await Promise.race([server.closed, wait(LAST_LINES_TIMEOUT_MS)]);
  const why = hasEnded(server) ? 'did not start' : `did not answer within ${READY_TIMEOUT_MS / 1000} s`;
  throw new Error(`${command.name} ${why}:\n${server.lastLines.join('\n')}`);
}

function hasEnded({ child }: GuardedProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function stopServer(server: GuardedProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(server)) return;
  const ended = once(server.child, 'exit');
  server.child.kill(signal);
  const timer = setTimeout(() => killServer(server), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

async function killServer(server: GuardedProcess): Promise<void> {
  if (hasEnded(server)) return;
  const ended = once(server.child, 'exit');
  // Stopped, it makes no further processes while they are listed; some are sessions of their own, beyond the process group.
  signalProcess(server.pid, 'SIGSTOP');
  const descendants = await listDescendants(server.pid);
  for (const pid of [server.pid, ...descendants]) signalProcess(pid, 'SIGKILL');
  await ended;
  await waitUntilGone(descendants, KILL_TIMEOUT_MS);
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}
