import { closeSync, openSync, readSync } from 'node:fs';

const pollIntervalMs = 10;

/**
 * Calls `onExceeded` once when the process holds more resident memory than allowed. Returns what stops the watch.
 * Reads `status` of /proc, not `statm`: its figure is in kB whatever the size of a page.
 */
export function watchMemory(pid: number, memoryBytes: number, onExceeded: () => void): () => void {
  const file = openStatus(pid);
  if (file === undefined) return () => {};
  const text = Buffer.alloc(4096);
  let isOver = false;
  const stop = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    closeSync(file);
  };
  const timer = setInterval(() => {
    if (readResidentBytes(file, text) <= memoryBytes) return;
    stop();
    onExceeded();
  }, pollIntervalMs);
  return stop;
}

function openStatus(pid: number): number | undefined {
  try {
    return openSync(`/proc/${pid}/status`, 'r');
  } catch {
    return undefined; // already gone: its exit is on the way
  }
}

function readResidentBytes(file: number, text: Buffer): number {
  try {
    const length = readSync(file, text, 0, text.length, 0);
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(text.toString('latin1', 0, length))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
