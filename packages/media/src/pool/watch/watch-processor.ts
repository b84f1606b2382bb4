import { readProcessorMs } from './processor-time.ts';

const pollIntervalMs = 50;

/**
 * Calls `onExceeded` once when the process has used more processor time than allowed since this call. It is read from outside, so that a
 * process that answers nothing is seen too. Returns what stops the watch and answers the milliseconds used.
 */
export function watchProcessor(pid: number, limitMs: number, onExceeded: () => void): () => number {
  const before = readProcessorMs(pid) ?? 0;
  let usedMs = 0;
  const look = () => {
    usedMs = Math.max(usedMs, (readProcessorMs(pid) ?? 0) - before);
    return usedMs;
  };
  const timer = setInterval(() => {
    if (look() <= limitMs) return;
    clearInterval(timer);
    onExceeded();
  }, pollIntervalMs);
  return () => {
    clearInterval(timer);
    return look();
  };
}
