import { openResidentMemory } from './resident-memory.ts';

const pollIntervalMs = 10;

/** Calls `onExceeded` once when the process holds more resident memory than allowed. Returns what stops the watch. */
export function watchMemory(pid: number, memoryBytes: number, onExceeded: () => void): () => void {
  const memory = openResidentMemory(pid);
  if (memory === undefined) return () => {};
  let isOver = false;
  const stop = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    memory.close();
  };
  const timer = setInterval(() => {
    if (memory.readBytes() <= memoryBytes) return;
    stop();
    onExceeded();
  }, pollIntervalMs);
  return stop;
}
