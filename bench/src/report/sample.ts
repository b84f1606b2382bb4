/** The figures of a row: the middle one and both ends. */
export type Summary = { p50: number; min: number; max: number; count: number };

/** The value below which the given share of the samples lies; of few samples, one that was seen. */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new Error('There is no sample to take a percentile of.');
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

export function summarise(samples: readonly number[]): Summary {
  return { p50: median(samples), min: Math.min(...samples), max: Math.max(...samples), count: samples.length };
}

/** How long `work` takes, in milliseconds. */
export async function time<T>(work: () => Promise<T>): Promise<{ result: T; tookMs: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { result, tookMs: performance.now() - startedAt };
}

export const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

export type Sides<T> = { floor: T; product: T };

/**
 * Takes one sample of each side per round, in turn, so that what disturbs the machine meets all; who is first changes from round to
 * round. The first rounds warm them and do not count.
 */
export async function interleave<Side extends string>(
  rounds: { warm: number; counted: number },
  sides: Record<Side, (round: number) => Promise<number>>,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[];
  const samples = Object.fromEntries(names.map((side) => [side, []])) as unknown as Record<Side, number[]>;
  for (let round = -rounds.warm; round < rounds.counted; round += 1) {
    for (const side of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await sides[side](round);
      if (round >= 0) samples[side].push(sample);
    }
  }
  return samples;
}

/** Resolves with the result, or fails with the name of what did not come in time: no measurement waits for ever. */
export async function within<T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} did not come within ${timeoutMs / 1000} s.`)), timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
