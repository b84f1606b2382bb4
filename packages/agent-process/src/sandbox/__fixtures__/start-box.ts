import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { findBox } from '../find-box.ts';

// The box closes these: descriptors 4 and 6 are open besides it, and 3 is not a pipe.
const STATUS_FD = 5;
const CLIENTS = fileURLToPath(new URL('run-client.ts', import.meta.url));

export type BoxEnd = { exitCode: number | null; status: unknown; output: string; errors: string };

export type StartedBox = {
  /** Resolves once the program has written this to its output. */
  said(words: string): Promise<void>;
  /** Resolves once the program has written this to its standard error. */
  complained(words: string): Promise<void>;
  /** Process ids outside, of the box first, then of what it has started, in that order. */
  processIds(): number[];
  /** Signals the box from outside. */
  signal(name: NodeJS.Signals): void;
  ended: Promise<BoxEnd>;
};

export const shell = (script: string) => ['/bin/sh', '-c', script];

/** One of the clients of run-client.ts: it connects to a loopback port; the server behind that listens at `path`. */
export const client = (name: string, port: number, path: string) => [
  process.execPath,
  CLIENTS,
  name,
  String(port),
  path,
];

/** Starts the box as the first process of new namespaces, its user root in there. `wrapper` runs before it, in the same process. */
export function startBox(given: {
  program: readonly string[];
  graceMs?: number;
  options?: readonly string[];
  wrapper?: readonly string[];
  box?: string;
  uid?: number;
}): StartedBox {
  const { program, graceMs = 60_000, options = [], wrapper = [], box = findBox() ?? '', uid } = given;
  const namespaces = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--net', '--mount-proc'];
  const asked = ['--status-fd', String(STATUS_FD), '--grace-ms', String(graceMs), ...options];
  const args = [...namespaces, ...wrapper, box, ...asked, '--', ...program];
  const child = spawn('unshare', args, {
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { output: '', errors: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    written.output += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    written.errors += chunk;
  });
  const processIds = () => {
    const [first = 0] = listChildren(child.pid ?? 0);
    return [first, ...listChildren(first)];
  };
  return {
    said: (words) => expect.poll(() => written.output).toContain(words),
    complained: (words) => expect.poll(() => written.errors).toContain(words),
    processIds,
    signal: (name) => void process.kill(processIds()[0] ?? Number.NaN, name),
    ended: waitForEnd(child).then((end) => ({ ...end, ...written })),
  };
}

async function waitForEnd(child: ChildProcess): Promise<Pick<BoxEnd, 'exitCode' | 'status'>> {
  const pipes: readonly unknown[] = child.stdio;
  const status = text(pipes[STATUS_FD] as Readable);
  const [exitCode] = await once(child, 'close');
  const line = await status;
  return { exitCode, status: line === '' ? undefined : JSON.parse(line) };
}

function listChildren(parent: number): number[] {
  const ids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return ids.filter((id) => readParent(id) === parent).sort((a, b) => a - b);
}

function readParent(id: number): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
