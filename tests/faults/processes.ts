import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** A process; its start time distinguishes it from a later one with the same id. */
export type ProcessIdentity = { pid: number; startTicks: number };

const PPID = 1;
const START_TIME = 19;

async function readStat(pid: number): Promise<string[] | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The program's name is in brackets and may hold blanks.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startTicks = (await readStat(pid))?.[START_TIME];
  return startTicks === undefined ? undefined : { pid, startTicks: Number(startTicks) };
}

async function listPids(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** All processes below one, workers and agents and what they started. */
export async function listDescendants(pid: number): Promise<ProcessIdentity[]> {
  const parents = new Map<number, number>();
  for (const each of await listPids()) {
    const stat = await readStat(each);
    if (stat) parents.set(each, Number(stat[PPID]));
  }
  const isBelow = (each: number | undefined): boolean =>
    each !== undefined && (parents.get(each) === pid || isBelow(parents.get(each)));
  const found = await Promise.all([...parents.keys()].filter(isBelow).map(identify));
  return found.filter((process) => process !== undefined);
}

export async function isRunning(process: ProcessIdentity): Promise<boolean> {
  const stat = await readStat(process.pid);
  return stat !== undefined && stat[0] !== 'Z' && Number(stat[START_TIME]) === process.startTicks;
}

/** Agents and what they started, of every process that ever ran on a data folder and began before the given one. */
export async function listEarlierChildren(dataDir: string, stackPid: number): Promise<ProcessIdentity[]> {
  const replica = `local-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const present = await identify(stackPid);
  const found: ProcessIdentity[] = [];
  for (const pid of await listPids()) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (!environment.includes(`ATTACHE_CHILD_OF=${replica}.`)) continue;
    const child = await identify(pid);
    if (child && (await isRunning(child)) && child.startTicks < (present?.startTicks ?? 0)) found.push(child);
  }
  return found;
}
