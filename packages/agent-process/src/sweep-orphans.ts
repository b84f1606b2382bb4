import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CHILD_MARKER_VARIABLE, type ChildMarker, childMarker, incarnationOf } from './child-marker.ts';

const SWEEP_MS = 2000;
const PAUSE_MS = 5;
// Unit of start times in /proc/<pid>/stat (USER_HZ), the same on every Linux that Node runs on.
const TICKS_PER_SECOND = 100;
const START_TIME_FIELD = 22;
const GROUP_FIELD = 5;

export type SweepRequest = {
  /** The marker of the present gateway: its own children are spared. */
  marker: ChildMarker;
  /** Milliseconds since the epoch; processes that started later are spared. */
  startedBefore: number;
};

export type SweepOutcome = {
  /** Processes that were killed. */
  killedCount: number;
  /** Orphans still there at the end: 0 unless they may not be signalled or hang in the kernel. */
  remainingCount: number;
};

type Candidate = { pid: number; startTicks: number };

/**
 * Kills what earlier lives of this gateway left running, also children that left their process group. It is for a gateway that serves nobody yet, or no more: it reads
 * all processes without a pause, in 15 µs each.
 */
export function sweepOrphans({ marker, startedBefore }: SweepRequest): Promise<SweepOutcome> {
  return sweep((environment) => isOfEarlierLife(environment, marker), startedBefore, readAtOnce);
}

/**
 * Kills everything that one life of a gateway has started: every process that carries its marker, with the whole group of each. For code that acts in the place
 * of a gateway that no longer can.
 */
export async function killLife(marker: ChildMarker): Promise<SweepOutcome> {
  const entry = `${CHILD_MARKER_VARIABLE}=${childMarker(marker)}`;
  const isOfLife = (environment: readonly string[]) => environment.includes(entry);
  // One that emptied its environment is still in a group.
  for (const { pid } of await findOrphans(isOfLife, Date.now())) await killGroupOf(pid);
  return sweep(isOfLife, Date.now());
}

/** Kills every process whose environment has this entry: what an agent left behind, also outside of its process group. */
export function sweepEnvironment(entry: string): Promise<SweepOutcome> {
  return sweep((environment) => environment.includes(entry), Date.now());
}

type IsWanted = (environment: readonly string[]) => boolean;
/** Undefined if the process has ended or belongs to another user. */
type ReadEnvironment = (pid: number) => string | undefined | Promise<string | undefined>;

async function sweep(
  isWanted: IsWanted,
  startedBefore: number,
  readEnvironment: ReadEnvironment = readInThread,
): Promise<SweepOutcome> {
  const killed = new Set<string>();
  const deadline = performance.now() + SWEEP_MS;
  // An orphan may fork while it is looked for, so only a pass that finds none is the end.
  for (;;) {
    const orphans = await findOrphans(isWanted, startedBefore, readEnvironment);
    if (orphans.length === 0 || performance.now() > deadline) {
      return { killedCount: killed.size, remainingCount: orphans.length };
    }
    for (const orphan of orphans) {
      if (await killSame(orphan)) killed.add(`${orphan.pid}:${orphan.startTicks}`);
    }
    await delay(PAUSE_MS);
  }
}

async function findOrphans(
  isWanted: IsWanted,
  startedBefore: number,
  readEnvironment: ReadEnvironment = readInThread,
): Promise<Candidate[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lastTick = await ticksAt(startedBefore);
  const found: Candidate[] = [];
  for (const pid of pids) {
    const environment = pid === process.pid ? undefined : await readEnvironment(pid);
    if (environment === undefined || !isWanted(environment.split('\0'))) continue;
    const startTicks = await readStartTicks(pid);
    if (startTicks !== undefined && startTicks <= lastTick) found.push({ pid, startTicks });
  }
  return found;
}

function isOfEarlierLife(environment: readonly string[], { replica, incarnation }: ChildMarker): boolean {
  const prefix = `${CHILD_MARKER_VARIABLE}=`;
  const entry = environment.find((line) => line.startsWith(prefix));
  const found = entry === undefined ? undefined : incarnationOf(entry.slice(prefix.length), replica);
  return found !== undefined && found !== incarnation;
}

/** Kills a process unless its id has meanwhile gone to another one. */
async function killSame({ pid, startTicks }: Candidate): Promise<boolean> {
  if ((await readStartTicks(pid)) !== startTicks) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

async function killGroupOf(pid: number): Promise<void> {
  const [group, own] = [await readStatField(pid, GROUP_FIELD), await readStatField(process.pid, GROUP_FIELD)];
  if (group === undefined || group <= 1 || group === own) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

const readStartTicks = (pid: number): Promise<number | undefined> => readStatField(pid, START_TIME_FIELD);

/** Fields count from 1, as proc(5) does. */
async function readStatField(pid: number, field: number): Promise<number | undefined> {
  const stat = await readProcessFile(pid, 'stat');
  // The second field is the program's name in brackets and may itself hold blanks and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const value = fields?.[field - 3];
  return value === undefined ? undefined : Number(value);
}

async function ticksAt(instant: number): Promise<number> {
  const [uptimeSeconds = '0'] = (await readFile('/proc/uptime', 'utf8')).split(' ');
  const bootedAt = Date.now() - Number(uptimeSeconds) * 1000;
  return Math.ceil(((instant - bootedAt) / 1000) * TICKS_PER_SECOND);
}

function readAtOnce(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return undefined;
  }
}

const readInThread = (pid: number): Promise<string | undefined> => readProcessFile(pid, 'environ');

/** Undefined if the process has ended or belongs to another user. */
async function readProcessFile(pid: number, name: 'environ' | 'stat'): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
