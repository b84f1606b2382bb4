import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Environment } from './native/build/server-source.ts';
import { nodeFlags } from './native/processes/node-flags.ts';
import { type GuardedProcess, spawnGuarded } from './native/processes/spawn-guarded.ts';

/** The command line, as its sources. */
export const sourceCli = fileURLToPath(new URL('../apps/cli/src/main.ts', import.meta.url));
const OPERATIONS = /^Operations: (\S+)$/;
// Longer than the gateway waits for running turns.
const STOP_TIMEOUT_MS = 40_000;

/** The processes of the hosted stack. */
export const serviceNames = ['ingest', 'projector', 'runner-gateway'] as const;

export type ServiceName = (typeof serviceNames)[number];

/** One service in a process of its own, which ends with this one. */
export type ServiceProcess = {
  /** That of its service; of a further process of it with a number. */
  name: string;
  /** The address at which it serves health and metrics. */
  opsUrl: string;
  closed: GuardedProcess['closed'];
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
};

type Run = {
  folder: string;
  environment: Environment;
  /** The command line that is run. */
  cli: string;
};

/** Runs `attache migrate` to its end. */
export async function runMigrate(run: Run): Promise<void> {
  const migrate = spawnCli(['migrate'], run);
  const { code } = await migrate.closed;
  if (code !== 0) throw new Error(`attache migrate failed:\n${migrate.lastLines.join('\n')}`);
}

/** Runs `attache start <service>` until it says that it is ready; what it writes goes to the log file too. */
export async function spawnService(
  service: ServiceName,
  { name, ...options }: Run & { name: string; logFile: string },
): Promise<ServiceProcess> {
  const log = createWriteStream(options.logFile, { mode: 0o600 });
  let onReady: (opsUrl: string) => void = () => {};
  const ready = new Promise<string>((resolve) => {
    onReady = resolve;
  });
  const onLine = (line: string) => {
    log.write(`${line}\n`);
    const opsUrl = OPERATIONS.exec(line)?.[1];
    if (opsUrl !== undefined) onReady(opsUrl);
  };
  const spawned = spawnCli(['start', service], { ...options, onLine });
  const closed = spawned.closed.finally(() => log.end());
  const opsUrl = await Promise.race([ready, closed.then(() => undefined)]);
  if (opsUrl === undefined) throw new Error(`${name} did not start:\n${spawned.lastLines.join('\n')}`);
  const kill = async () => {
    spawned.child.kill('SIGKILL');
    await closed;
  };
  return { name, opsUrl, closed, kill, stop: () => stopService(spawned) };
}

function spawnCli(args: string[], { cli, ...options }: Run & { onLine?(line: string): void }): GuardedProcess {
  return spawnGuarded({
    ...options,
    program: process.execPath,
    args: [...nodeFlags, cli, ...args],
    lastSignal: 'SIGTERM',
  });
}

async function stopService({ child, closed }: GuardedProcess): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await closed;
  clearTimeout(timer);
}
