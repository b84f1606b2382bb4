/** How the suite runs: a fixed seed and few faults in `npm test`, more in `npm run test:long`, any number by `npm run takeover`. */
export type TakeoverOptions = { seed: number; faultCount: number; timeLimitMs: number };

const FEW = { seed: 1, faultCount: 8, timeLimitMs: 120_000 };
const MANY = { faultCount: 60, timeLimitMs: 480_000 };

export function readTakeoverOptions(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TakeoverOptions {
  const { ATTACHE_TEST_AMOUNT: kills, ATTACHE_TAKEOVER_SEED: seed, ATTACHE_TAKEOVER_MINUTES: minutes } = environment;
  if (minutes !== undefined)
    return {
      seed: Number(seed ?? Date.now() % 1e6),
      faultCount: Number.POSITIVE_INFINITY,
      timeLimitMs: Number(minutes) * 60_000,
    };
  if (kills === 'all') return { ...MANY, seed: Number(environment.ATTACHE_TEST_SEED ?? FEW.seed) };
  return FEW;
}
