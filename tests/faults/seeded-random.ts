/** Random numbers that come again with the same seed. */
export type SeededRandom = {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  bytes(sizeBytes: number): Uint8Array<ArrayBuffer>;
};

/** Mulberry32. */
export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number) => next() % limit;
  return {
    below,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    bytes: (sizeBytes) => Uint8Array.from({ length: sizeBytes }, () => next() >>> 24),
  };
}
