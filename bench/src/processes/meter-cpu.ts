import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { listTrees, TICKS_PER_SECOND } from './process-cost.ts';

const LOOK_MS = 100;

export type CpuMeter = AsyncDisposable & {
  /** The processor time used since the start, in seconds. It is read at once: while processes are looked up, they work. */
  read(): number;
};

/**
 * Meters the processor time of processes and their descendants from now on. It looks ten times a second: a process that ends inside a sandbox leaves its time to none outside,
 * so that only its last tenth of a second is lost.
 */
export async function meterCpu(pids: readonly number[]): Promise<CpuMeter> {
  const used = new Map<number, { from: number; to: number }>();
  const look = async (isFirst: boolean) => {
    for (const pid of await listTrees(pids)) {
      const ticks = readOwnTicks(pid);
      if (ticks === undefined) continue;
      // Who came later has all of its time since the start.
      const { from } = used.get(pid) ?? { from: isFirst ? ticks : 0 };
      used.set(pid, { from, to: ticks });
    }
  };
  await look(true);
  const ending = new AbortController();
  const looking = (async () => {
    while (!ending.signal.aborted) {
      await delay(LOOK_MS, undefined, { signal: ending.signal }).catch(() => {});
      await look(false);
    }
  })();
  return {
    read() {
      for (const [pid, time] of used) time.to = readOwnTicks(pid) ?? time.to;
      return [...used.values()].reduce((sum, { from, to }) => sum + to - from, 0) / TICKS_PER_SECOND;
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await looking;
    },
  };
}

/** Fields 14 and 15 of proc(5): user and system time of all its threads; undefined if it is gone. */
function readOwnTicks(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}
