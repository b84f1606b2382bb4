import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { listDescendants } from '@attache/infra/native/processes/process-table';
import { pause } from '../report/sample.ts';

const LOOK_MS = 10;
export const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** These processes and all their descendants. */
export async function listTrees(pids: readonly number[]): Promise<number[]> {
  const below = await Promise.all(pids.map(listDescendants));
  return [...pids, ...below.flat()];
}

// Fields 14 to 17 of proc(5): user and system time of its own, and of children that ended and were waited for.
async function readTicks(pid: number): Promise<number> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    // It has just ended: its time is its parent's now.
    return 0;
  }
}

/** Processor time that processes and their descendants have taken so far, in seconds. */
export async function readCpuSeconds(pids: readonly number[]): Promise<number> {
  const ticks = await Promise.all((await listTrees(pids)).map(readTicks));
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

/** Processor time that a process of its own has taken so far, all its threads together, in milliseconds. */
export async function readThreadsCpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  // The first field of proc(5): nanoseconds on a processor.
  return times.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);
}

/** Memory of a process's own, now, in bytes. Pages of files, its program among them, are left out: the kernel takes and brings them as it likes. */
export async function readOwnBytes(pid: number): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Memory of a process and all its descendants, pages of files among it, in bytes. What two of them share is counted in both. */
export async function readResidentBytes(pid: number): Promise<number> {
  const each = (await listTrees([pid])).map(async (one) => {
    const status = await readFile(`/proc/${one}/status`, 'utf8').catch(() => '');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  });
  return (await Promise.all(each)).reduce((sum, bytes) => sum + bytes, 0);
}

async function readTreeBytes(pids: readonly number[]): Promise<number> {
  const each = await Promise.all((await listTrees(pids)).map(readOwnBytes));
  return each.reduce((sum, bytes) => sum + bytes, 0);
}

/** Looks again and again while `work` runs. */
async function lookWhile(work: () => Promise<unknown>, look: () => Promise<void>): Promise<void> {
  let isOver = false;
  const over = work().finally(() => {
    isOver = true;
  });
  // Thrown below, once the look that is in progress has ended.
  over.catch(() => {});
  while (!isOver) {
    await look();
    await pause(LOOK_MS);
  }
  await over;
}

/** How far the own memory of processes and their descendants, in bytes, rises above its start while `work` runs. */
export async function measureRise(pids: readonly number[], work: () => Promise<unknown>): Promise<number> {
  const before = await readTreeBytes(pids);
  let peak = before;
  await lookWhile(work, async () => {
    peak = Math.max(peak, await readTreeBytes(pids));
  });
  return peak - before;
}

/** The same of a process alone; its children are left out. */
export async function measureOwnRise(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = await readOwnBytes(pid);
  let peak = before;
  await lookWhile(work, async () => {
    peak = Math.max(peak, await readOwnBytes(pid));
  });
  return peak - before;
}

/** The most memory that a process had at once so far, pages of files among it, in bytes. */
async function readPeakBytes(pid: number): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** The greatest peak, in bytes, of our descendants but `others` that live while `work` runs. */
export async function watchPeak(others: readonly number[], work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  await lookWhile(work, async () => {
    const pids = (await listDescendants(process.pid)).filter((pid) => !others.includes(pid));
    peak = Math.max(peak, ...(await Promise.all(pids.map(readPeakBytes))));
  });
  return peak;
}
