/** Choices that a seed decides. */
export type Random = {
  /** A whole number below this one. */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  bytes(length: number): Buffer;
};

export function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number) => next() % limit;
  return {
    below,
    pick: <T>(from: readonly T[]) => from[below(from.length)] as T,
    bytes: (length) =>
      Buffer.from(Uint32Array.from({ length: Math.ceil(length / 4) }, next).buffer).subarray(0, length),
  };
}
