import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Duplex, Readable, Writable } from 'node:stream';
import { AGENT_TOKEN_VARIABLE } from '@attache/contracts';
import type { AgentExit } from './driver.ts';
import type { Cgroup } from './limits/cgroup/open-cgroup.ts';
import { followSandbox, type SandboxedChild } from './sandbox/follow-sandbox.ts';
import { createStderrTail, type StderrTail } from './stderr-tail.ts';
import { sweepEnvironment } from './sweep-orphans.ts';
import type { AgentUser } from './users/agent-users.ts';

// The watchdog waits on a pipe that only its gateway holds: when the gateway is gone, however it went, the whole group is killed.
// It inherits what it ignores, and the line on the pipe says that the child itself ignores nothing more: from then on a signal may come.
const WRAPPER =
  'trap "" HUP INT TERM; (read -r _ <&3; kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 & trap - HUP INT TERM; echo >&3; exec 3<&-; ulimit -t "$1"; shift; exec "$@"';

// A child of a cgroup waits until it is in that.
const WAITING_WRAPPER = `read -r _ <&3; ${WRAPPER}`;

// A grandchild that left the group may hold the pipes open: an exit counts after this time even so.
const EXIT_DRAIN_MS = 250;

/** A child in a process group of its own that does not outlive its gateway. */
export type SpawnedAgent = {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly exited: Promise<AgentExit>;
  /** End of standard error so far, redacted. */
  diagnostic(): string;
  /** Signals the child's group; in a sandbox SIGTERM goes to the program. False, and nothing done, once the child has ended. */
  signalGroup(signal: 'SIGTERM' | 'SIGKILL'): boolean;
  /** The processes that belong to it: its process group; in a sandbox all of its descendants; in a wrapper both. */
  readonly extent: 'group' | 'descendants' | 'both';
  /** Starts another program in the same sandbox, as the same user and within the same folder. Undefined if that cannot be done. */
  startBeside?(command: readonly string[], args: readonly string[]): Promise<SpawnedAgent | undefined>;
  /** The cgroup that keeps it to its limits of memory and processes; undefined if these are to be watched. */
  readonly cgroup?: Pick<Cgroup, 'look' | 'killCount'> | undefined;
};

export type ChildStart = {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  cpuSeconds: number | undefined;
  /** The agent's token; empty if it has none. */
  token: string;
  /** Set if `argv` is that of a sandbox: the bytes that it reads as its seccomp filter. */
  filter?: Buffer | undefined;
  /** The cgroup that limits it and all that it starts; removed when it has ended. */
  cgroup?: Cgroup | undefined;
  /** Set if `argv` is that of an operator's wrapper: the file that it reads, which is removed when it has ended. */
  descriptionFile?: string | undefined;
  /** The user as which it runs; undefined: the gateway's own. */
  user?: AgentUser | undefined;
};

/** Starts a program, and throws where it cannot be started. */
export async function startChild(start: ChildStart, redact: (text: string) => string): Promise<SpawnedAgent> {
  const { argv, cwd, env, token, filter } = start;
  const processorTime = String(start.cpuSeconds ?? 'unlimited');
  const child = spawn(
    '/bin/sh',
    ['-c', start.cgroup === undefined ? WRAPPER : WAITING_WRAPPER, 'w', processorTime, ...argv],
    {
      ...{ cwd, env, detached: true, ...start.user },
      stdio: filter === undefined ? ['pipe', 'pipe', 'pipe', 'pipe'] : Array(7).fill('pipe'),
    },
  );
  const tail = createStderrTail(redact);
  child.stderr?.on('data', (chunk: Buffer) => tail.append(chunk));
  const sandboxed = filter === undefined ? undefined : followSandbox(child, filter);
  const exited = watchExit(child, tail, sandboxed).then(async (exit) => {
    // Some programs start helpers in groups of their own, which outlive them.
    if (token !== '') await sweepEnvironment(`${AGENT_TOKEN_VARIABLE}=${token}`);
    await start.cgroup?.remove();
    if (start.descriptionFile !== undefined) await rm(start.descriptionFile, { force: true });
    return exit;
  });
  await enterCgroup(child, start.cgroup);
  await new Promise((resolve, reject) => {
    child.stdio[3]?.once('data', resolve);
    child.once('exit', resolve).once('error', reject);
  });
  const { pid, stdin, stdout } = child;
  if (pid === undefined || !stdin || !stdout) throw new Error('the child has no process id or pipes');
  const signalGroup = groupSignaller(child, pid, sandboxed);
  const extent = findExtent(start);
  return { pid, stdin, stdout, exited, diagnostic: tail.text, signalGroup, extent, cgroup: start.cgroup };
}

async function enterCgroup(child: ChildProcess, cgroup: Cgroup | undefined): Promise<void> {
  if (cgroup === undefined || child.pid === undefined) return;
  await cgroup.add(child.pid).catch(() => child.kill('SIGKILL'));
  (child.stdio[3] as Duplex).write('\n');
}

function findExtent({ filter, descriptionFile }: ChildStart): SpawnedAgent['extent'] {
  if (filter !== undefined) return 'descendants';
  return descriptionFile === undefined ? 'group' : 'both';
}

function watchExit(child: ChildProcess, tail: StderrTail, sandboxed: SandboxedChild | undefined): Promise<AgentExit> {
  const watchdog = child.stdio[3] as Duplex | null | undefined;
  // A broken pipe shows as the end of the child; the error itself says nothing more.
  for (const pipe of child.stdio) pipe?.on('error', () => undefined);
  child.on('error', () => undefined);
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => {
      watchdog?.destroy();
      const finish = () => resolve({ ...(sandboxed?.end() ?? { exitCode, signal }), diagnostic: tail.text() });
      const timer = setTimeout(finish, EXIT_DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        finish();
      });
    });
  });
}

function groupSignaller(
  child: ChildProcess,
  pid: number,
  sandboxed: SandboxedChild | undefined,
): SpawnedAgent['signalGroup'] {
  return (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    // Bubblewrap dies of SIGTERM and takes the program with it: the program itself gets it first.
    if (signal === 'SIGTERM' && sandboxed !== undefined) return sandboxed.askToEnd();
    return trySignal(-pid, signal);
  };
}

function trySignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    // The group has just ended, or is no longer this user's to signal.
    return false;
  }
}
