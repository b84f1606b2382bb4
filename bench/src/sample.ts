/** The value below which the given share of the samples lies; of few samples, one that was seen. */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new Error('There is no sample to take a percentile of.');
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** How long `work` takes, in milliseconds. */
export async function time<T>(work: () => Promise<T>): Promise<{ result: T; tookMs: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { result, tookMs: performance.now() - startedAt };
}

export const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));
