import type { ProcessFigures } from './process-figures.ts';

const pollIntervalMs = 10;

/** A watch of the memory of a process. */
export type MemoryWatch = {
  /** Looks once more: a process may have answered before the next look. */
  look(): void;
  stop(): void;
};

/** Calls `onExceeded` once when the process has held more resident memory than allowed. */
export function watchMemory(
  { peakBytes }: Pick<ProcessFigures, 'peakBytes'>,
  memoryBytes: number,
  onExceeded: () => void,
): MemoryWatch {
  let isExceeded = false;
  const look = () => {
    if (isExceeded || peakBytes() <= memoryBytes) return;
    isExceeded = true;
    clearInterval(timer);
    onExceeded();
  };
  const timer = setInterval(look, pollIntervalMs);
  return { look, stop: () => clearInterval(timer) };
}
