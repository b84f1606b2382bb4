import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const KEPT_LINES = 20;

// The watchdog reads a pipe that this process holds: when it dies, the child's process group gets the signal.
const WATCHDOG = '(read -r _ <&3; kill -s "$0" -- -$$) </dev/null >/dev/null 2>&1 & exec 3<&-; exec "$@" 1>&2';

/** A child that does not outlive this process. */
export type GuardedProcess = {
  child: ChildProcess;
  pid: number;
  /** The last lines it wrote, to either output. */
  lastLines: string[];
  /** Its end, after its last line. */
  closed: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/** Starts a program in a process group of its own. `lastSignal` is what the group gets when this process dies. */
export function spawnGuarded(options: {
  /** Absolute path, or a name on the PATH of the environment. */
  program: string;
  args: readonly string[];
  folder: string;
  environment: Readonly<Record<string, string | undefined>>;
  account?: { uid: number; gid: number } | undefined;
  lastSignal: NodeJS.Signals;
  /** Gets each line it writes, to either output. */
  onLine?(line: string): void;
}): GuardedProcess {
  const signal = options.lastSignal.slice('SIG'.length);
  const child = spawn('/bin/sh', ['-c', WATCHDOG, signal, options.program, ...options.args], {
    ...options.account,
    cwd: options.folder,
    env: options.environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  if (child.pid === undefined || !child.stderr) {
    child.once('error', () => {});
    throw new Error(`${options.program} could not be started: the system refused /bin/sh, or the account it runs as`);
  }
  child.once('exit', () => child.stdio[3]?.destroy());
  const lastLines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastLines.push(line);
    if (lastLines.length > KEPT_LINES) lastLines.shift();
    options.onLine?.(line);
  });
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return { child, pid: child.pid, lastLines, closed };
}
