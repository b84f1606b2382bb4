export type Slots = {
  /** Runs the task when a slot is free, first come first served. Rejects with the signal's reason when given up before that. */
  use<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T>;
};

/** Bounds how many tasks run at the same time (DL-81). */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;

  async function acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const grant = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(grant), 1);
        reject(signal.reason);
      };
      waiting.push(grant);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  function release(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  return {
    async use(signal, task) {
      await acquire(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
