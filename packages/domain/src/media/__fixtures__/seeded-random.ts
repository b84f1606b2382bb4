/** Draws that are the same for the same seed. */
export type Random = {
  /** A whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
  chance(share: number): boolean;
  bytes(length: number): Buffer;
  /** Characters of an alphabet. */
  text(alphabet: string, length: number): string;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    integer,
    pick(values) {
      const value = values[integer(0, values.length - 1)];
      if (value === undefined) throw new Error('There is nothing to pick from.');
      return value;
    },
    chance: (share) => next() < share,
    bytes: (length) => Buffer.from(Array.from({ length }, () => integer(0, 255))),
    text: (alphabet, length) => Array.from({ length }, () => alphabet.charAt(integer(0, alphabet.length - 1))).join(''),
  };
}
