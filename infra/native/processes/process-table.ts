import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

type ProcessEntry = { pid: number; parent: number; state: string; startTime: string };

// Place of the start time among the fields after the program's name.
const START_TIME_FIELD = 19;

/** Process ids of all descendants of a process, as the system lists them now. */
export async function listDescendants(pid: number): Promise<number[]> {
  const entries = await readProcesses();
  const found = [pid];
  for (const ancestor of found) {
    for (const entry of entries) if (entry.parent === ancestor) found.push(entry.pid);
  }
  return found.slice(1);
}

/** Resolves when none of the processes runs any more; one that ended but that nobody waited for counts as gone. */
export async function waitUntilGone(pids: readonly number[], timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (const pid of pids) {
    while (await isRunning(pid)) {
      if (performance.now() > end) throw new Error(`process ${pid} did not end within ${timeoutMs} ms`);
      await wait(2);
    }
  }
}

/** Whether a process runs. */
export async function isRunning(pid: number): Promise<boolean> {
  const entry = await readEntry(String(pid));
  return entry !== undefined && !['Z', 'X'].includes(entry.state);
}

/** When a process started, in the system's own count; undefined if there is no such process. With the id it names a process for good. */
export async function readStartTime(pid: number): Promise<string | undefined> {
  return (await readEntry(String(pid)))?.startTime;
}

async function readProcesses(): Promise<ProcessEntry[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(names.map(readEntry));
  return entries.filter((entry) => entry !== undefined);
}

// The second field is the program's name in parentheses and may hold anything, parentheses too.
async function readEntry(pid: string): Promise<ProcessEntry | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, parent] = fields;
  if (state === undefined) return undefined;
  return { pid: Number(pid), parent: Number(parent), state, startTime: fields[START_TIME_FIELD] ?? '' };
}
