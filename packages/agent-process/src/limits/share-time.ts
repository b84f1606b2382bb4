import { setTimeout as sleep } from 'node:timers/promises';

/** Runs a part of a longer piece of work when its turn has come. */
export type RunPart = <T>(part: () => Promise<T>) => Promise<T>;

const REST_FACTOR = 4;

/** Runs parts one at a time, each followed by a rest four times as long: together they take at most a fifth of the time, however many there are. */
export function shareTime(
  rest: (timeMs: number) => Promise<unknown> = (timeMs) => sleep(timeMs, undefined, { ref: false }),
  now: () => number = () => performance.now(),
): RunPart {
  let free: Promise<unknown> = Promise.resolve();
  return (part) => {
    let takenMs = 0;
    const run = free.then(async () => {
      const startedMs = now();
      try {
        return await part();
      } finally {
        takenMs = now() - startedMs;
      }
    });
    const restAfter = () => rest(REST_FACTOR * takenMs);
    free = run.then(restAfter, restAfter);
    return run;
  };
}
