import { Fault } from '@attache/contracts';

/** Lets a few calls run at once, some wait, and refuses the others. */
export type CallLane = { run<T>(work: () => Promise<T>): Promise<T> };

/** `RATE_LIMITED` for a call that finds all places taken. */
export function createCallLane(places: { running: number; waiting: number }): CallLane {
  const waiting: (() => void)[] = [];
  let running = 0;
  const enter = async (): Promise<void> => {
    if (running < places.running) {
      running += 1;
      return;
    }
    if (waiting.length >= places.waiting)
      throw new Fault('RATE_LIMITED', 'Too many calls at once. Wait for answers, then try again.', { retryable: true });
    // Who leaves gives the place on, so that nobody gets in between.
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
