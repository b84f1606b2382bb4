import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import type { Exchange } from './exchange/exchange.ts';
import type { MediaPoolOptions } from './media-pool-options.ts';

// Nothing of a job enters this text. Its first argument is the limit of the data segment in KiB, the rest is the program to become.
// On a full machine, requests come before variants where the kernel compares all threads; it may compare them only within a session.
// `nice` sets that before the first thread of the worker starts, and leaves a lower rank for files that take long. Without `nice`, the worker runs all the same.
// The watchdog reads a pipe that only the parent holds: when the parent is gone, however it went, the whole group is killed.
const wrapper = [
  'ulimit -c 0; ulimit -d "$1" || exit 126; shift',
  '(exec 4>&-; read -r _ <&3; kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 &',
  'exec 3<&-; command -v nice >/dev/null && exec nice -n 10 "$@"; exec "$@"',
].join('\n');

// Memory that Node itself reserves, most of it never touched; with less it does not start.
const reservedKib = 1_000_000;

/** In `stdio`, of a worker in a sandbox. */
const descriptors = { seccomp: 5, status: 6 } as const;

const firstInside = new WeakMap<ChildProcess, number>();
const readers = new WeakMap<ChildProcess, number>();

/** A worker's whole environment: no secret of the parent, no setting that a tenant could reach. */
const environment = {
  LANG: 'C.UTF-8',
  // Few allocator arenas and no decoded pixels in temporary files: the memory cap then sees everything.
  MALLOC_ARENA_MAX: '2',
  VIPS_DISC_THRESHOLD: '64g',
  UV_THREADPOOL_SIZE: '2',
};

/** Spawns a worker in a process group of its own. It does not keep the parent alive until `holdParent`. */
export function spawnWorker(
  { workerPath, memoryBytes, sandbox }: MediaPoolOptions,
  exchange?: Exchange | undefined,
): ChildProcess {
  const dataKib = reservedKib + Math.ceil(memoryBytes / 1024);
  const command = sandbox && exchange ? sandbox.compose(exchange, descriptors) : [process.execPath, workerPath];
  const child = spawn('/bin/sh', ['-c', wrapper, 'media-worker', String(dataKib), ...command], {
    cwd: '/',
    detached: true,
    env: environment,
    ...sandbox?.user,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ipc', ...(sandbox === undefined ? [] : (['pipe', 'pipe'] as const))],
  });
  if (sandbox !== undefined) followSandbox(child, sandbox.filter);
  for (const stream of child.stdio) {
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
    stream?.on('error', () => {}); // ends with the worker, whose exit is what counts
  }
  child.on('error', () => {}); // a failed spawn is seen by whoever waits for it; a failed kill means that it is gone
  child.once('exit', () => child.stdio[3]?.destroy()); // lets the watchdog end
  releaseParent(child);
  return child;
}

/** Hands a sandbox its filter, and notes which process is the first inside. */
function followSandbox(child: ChildProcess, filter: Buffer): void {
  const pipes = child.stdio as readonly (Duplex | null | undefined)[];
  pipes[descriptors.seccomp]?.on('error', () => {}).end(filter);
  let said = '';
  pipes[descriptors.status]?.on('data', (chunk: Buffer) => {
    if (said.length < 4096) said += chunk.toString('latin1');
    const pid = /"child-pid": *(\d+)/.exec(said)?.[1];
    if (pid !== undefined) firstInside.set(child, Number(pid));
  });
}

/** The process that reads files: in a sandbox the child of the first one inside. */
export function findWorkerPid(child: ChildProcess): number {
  const known = readers.get(child);
  if (known !== undefined) return known;
  const first = firstInside.get(child);
  if (first === undefined) return child.pid ?? 0;
  const reader = readFirstChild(first);
  if (reader !== undefined) readers.set(child, reader);
  return reader ?? first;
}

function readFirstChild(pid: number): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'), 10) || undefined;
  } catch {
    return undefined;
  }
}

/** From now on the worker keeps the parent alive: it has a job. */
export function holdParent(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

/** From now on the worker is idle and does not keep the parent alive. */
export function releaseParent(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** Whether the worker can take a job. */
export function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null && child.connected;
}

/** Kills the worker and all of its group. Its `exit` follows, until which it keeps the parent alive. */
export function killWorker(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.ref(); // whoever waits for the exit shall see it
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL'); // the group is made by the child itself, a moment after the spawn
  }
}
