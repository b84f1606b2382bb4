import { it } from 'vitest';
import { createRandom } from './seeded-random.ts';

type AddTest = (title: string, run: () => Promise<void>, timeoutMs?: number) => void;

/** Takes the place of `it` in a file of `of` tests: the short run has `few` of them, which the seed draws, the long run all. */
export function drawTests({ of, few }: { of: number; few: number }): AddTest {
  const { ATTACHE_TEST_AMOUNT: kills, ATTACHE_TEST_SEED: seed } = process.env;
  const random = createRandom(Number(seed ?? Date.now() % 1_000_000_007));
  const drawn = new Set<number>();
  while (drawn.size < few) drawn.add(random.below(of));
  let place = -1;
  return (title, run, timeoutMs) => {
    place += 1;
    if (place >= of) throw new Error(`these are more than ${of} tests to draw from`);
    if (kills !== 'few' || drawn.has(place)) it(title, run, timeoutMs);
  };
}
