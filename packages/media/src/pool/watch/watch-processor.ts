import type { ProcessFigures } from './process-figures.ts';

const pollIntervalMs = 50;

export type ProcessorLimit = { limitMs: number; onExceeded: () => void };

/**
 * Calls each limit's `onExceeded` once when the process has used more processor time than that since this call. It is read from outside, so
 * that a process that answers nothing is seen too. Returns what stops the watch and answers the milliseconds used.
 */
export function watchProcessor(
  { processorMs }: Pick<ProcessFigures, 'processorMs'>,
  limits: readonly ProcessorLimit[],
): () => number {
  const before = processorMs();
  let usedMs = 0;
  let ahead = limits;
  const look = () => {
    usedMs = Math.max(usedMs, processorMs() - before);
    return usedMs;
  };
  const timer = setInterval(() => {
    look();
    const exceeded = ahead.filter(({ limitMs }) => usedMs > limitMs);
    ahead = ahead.filter((limit) => !exceeded.includes(limit));
    for (const { onExceeded } of exceeded) onExceeded();
  }, pollIntervalMs);
  return () => {
    clearInterval(timer);
    return look();
  };
}
