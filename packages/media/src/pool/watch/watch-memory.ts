import type { ProcessFigures } from './process-figures.ts';

const pollIntervalMs = 10;

/** Calls `onExceeded` once when the process holds more resident memory than allowed. Returns what stops the watch. */
export function watchMemory(
  { residentBytes }: Pick<ProcessFigures, 'residentBytes'>,
  memoryBytes: number,
  onExceeded: () => void,
): () => void {
  const timer = setInterval(() => {
    if (residentBytes() <= memoryBytes) return;
    clearInterval(timer);
    onExceeded();
  }, pollIntervalMs);
  return () => clearInterval(timer);
}
