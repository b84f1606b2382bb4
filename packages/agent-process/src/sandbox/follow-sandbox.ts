import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentExit } from '../driver.ts';
import { recordOf, stringOf } from '../messages/json-values.ts';

/** Descriptors by which a sandbox and its gateway communicate, besides those of every child. */
export const sandboxDescriptors = { seccomp: 4, status: 5, exit: 6 } as const;

// Each is one short line.
const REPORT_CHARACTERS = 4096;
const SIGPIPE_BIT = 1n << BigInt(constants.signals.SIGPIPE - 1);
const PAUSE_MS = 1;

/** The reports of a child that runs in a sandbox. */
export type SandboxedChild = {
  /** Sends SIGTERM to the program, as soon as the first process inside takes it. */
  askToEnd(): true;
  /** How the program itself ended; undefined if that was not reported. */
  end(): Pick<AgentExit, 'exitCode' | 'signal'> | undefined;
};

/** Hands a sandbox its filter, and reads what it reports. */
export function followSandbox(child: ChildProcess, filter: Buffer): SandboxedChild {
  const pipe = (descriptor: number) => child.stdio[descriptor] as Duplex | null | undefined;
  const { seccomp, status, exit } = sandboxDescriptors;
  // One that ends before it has read all says why in another way.
  pipe(seccomp)
    ?.on('error', () => undefined)
    .end(filter);
  const statusReport = gather(pipe(status));
  const exitReport = gather(pipe(exit));
  const known = new Promise<void>((resolve) => {
    pipe(status)?.on('data', () => readPid(statusReport()) !== undefined && resolve());
    child.once('exit', () => resolve()).once('error', () => resolve());
  });
  const settled = known.then(() => awaitSignals(child, readPid(statusReport())));
  return {
    askToEnd() {
      void settled.then(() => sendTerm(child, readPid(statusReport())));
      return true;
    },
    end: () => readEnd(exitReport()),
  };
}

/**
 * Waits until process 1 of the sandbox takes signals. It loses signals that come before: bubblewrap has that number until it starts `attache-box` there.
 * `attache-box` ignores SIGPIPE once it holds back all other signals; those for which it waits are not shown as held back.
 */
async function awaitSignals(child: ChildProcess, pid: number | undefined): Promise<void> {
  while (pid !== undefined && !hasEnded(child)) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
    const ignored = /^SigIgn:\s*(\w+)$/m.exec(status ?? '')?.[1] ?? '0';
    if (status === undefined || (BigInt(`0x${ignored}`) & SIGPIPE_BIT) !== 0n) return;
    await delay(PAUSE_MS);
  }
}

function sendTerm(child: ChildProcess, pid: number | undefined): void {
  if (pid === undefined || hasEnded(child)) return;
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has just ended.
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

function gather(pipe: Duplex | null | undefined): () => string {
  let said = '';
  pipe?.on('data', (chunk: Buffer) => {
    if (said.length < REPORT_CHARACTERS) said += chunk.toString('latin1');
  });
  return () => said;
}

function readPid(said: string): number | undefined {
  const pid = recordOf(readFirst(said))['child-pid'];
  return typeof pid === 'number' && pid > 1 ? pid : undefined;
}

function readEnd(said: string): Pick<AgentExit, 'exitCode' | 'signal'> | undefined {
  const { exitCode, signal } = recordOf(readFirst(said));
  if (typeof exitCode === 'number') return { exitCode, signal: null };
  const name = stringOf(signal);
  return name === undefined ? undefined : { exitCode: null, signal: name };
}

/** The first line, once it is whole. */
function readFirst(said: string): unknown {
  const end = said.indexOf('\n');
  try {
    return end === -1 ? undefined : JSON.parse(said.slice(0, end));
  } catch {
    return undefined;
  }
}
