import { closeSync, openSync, readSync } from 'node:fs';

/** The resident memory of a process, read as often as wanted. */
export type ResidentMemory = {
  /** 0 where the process is gone. */
  readBytes(): number;
  close(): void;
};

/** Opens the figure of a process; undefined where that is gone already. `status` of /proc, not `statm`: kB whatever the size of a page. */
export function openResidentMemory(pid: number): ResidentMemory | undefined {
  const file = openStatus(pid);
  if (file === undefined) return undefined;
  const text = Buffer.alloc(4096);
  return { readBytes: () => readBytes(file, text), close: () => closeSync(file) };
}

/** The resident memory of a process now; 0 where it is gone. */
export function readResidentBytes(pid: number): number {
  const memory = openResidentMemory(pid);
  const bytes = memory?.readBytes() ?? 0;
  memory?.close();
  return bytes;
}

function openStatus(pid: number): number | undefined {
  try {
    return openSync(`/proc/${pid}/status`, 'r');
  } catch {
    return undefined; // already gone: its exit is on the way
  }
}

function readBytes(file: number, text: Buffer): number {
  try {
    const length = readSync(file, text, 0, text.length, 0);
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(text.toString('latin1', 0, length))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
