import { readFileSync } from 'node:fs';

const KIB = 1024;
/** The memory that one agent is assumed to need: the real programs were seen at 150 to 400 MB. */
export const AGENT_BYTES = 256 * KIB * KIB;

/** The kernel's reports of memory; undefined if a file is not there. */
export type MemoryFiles = {
  meminfo?: string | undefined;
  cgroupMax?: string | undefined;
  cgroupCurrent?: string | undefined;
  cgroupStat?: string | undefined;
};

/**
 * Bytes that processes could still take: of the machine, or of the control group if that has less. Pages of files that nobody reads now count as free.
 * `Infinity`: nothing is known.
 */
export function findFreeBytes({ meminfo = '', cgroupMax = '', cgroupCurrent, cgroupStat = '' }: MemoryFiles): number {
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1];
  const ofMachine = available === undefined ? Number.POSITIVE_INFINITY : Number(available) * KIB;
  const limit = /^\d+$/.exec(cgroupMax.trim())?.[0];
  if (limit === undefined || cgroupCurrent === undefined) return ofMachine;
  const unread = /^inactive_file (\d+)$/m.exec(cgroupStat)?.[1] ?? '0';
  return Math.min(ofMachine, Number(limit) - Number(cgroupCurrent.trim()) + Number(unread));
}

/** How many more agents the memory that is free now has room for. */
export function readMemoryRoom(): number {
  const free = findFreeBytes({
    meminfo: readOrNothing('/proc/meminfo'),
    cgroupMax: readOrNothing('/sys/fs/cgroup/memory.max'),
    cgroupCurrent: readOrNothing('/sys/fs/cgroup/memory.current'),
    cgroupStat: readOrNothing('/sys/fs/cgroup/memory.stat'),
  });
  return Math.floor(free / AGENT_BYTES);
}

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
