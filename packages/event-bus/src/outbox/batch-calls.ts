/** Sends what is added, together with all that is added until then. */
export type Batch<T, R> = {
  /** Returns what the sending of its batch returns. */
  add(item: T): Promise<R>;
  /** Waits until all that was added is sent. */
  flush(): Promise<void>;
};

type Waiting<T, R> = { item: T; sent: PromiseWithResolvers<R> };

export type BatchOptions = {
  /** How long the first one waits for others. Without it an item goes at once, unless a call is in progress. */
  delayMs?: number;
  maxItems?: number;
};

/** Joins calls into few: one runs at a time, and the next takes all that came meanwhile. */
export function createBatch<T, R>(
  send: (items: readonly T[]) => Promise<R>,
  { delayMs = 0, maxItems = 500 }: BatchOptions = {},
): Batch<T, R> {
  const waiting: Waiting<T, R>[] = [];
  let running: Promise<void> | undefined;

  const run = async () => {
    // Items that are added in the same turn join the batch.
    await (delayMs > 0 ? new Promise((wake) => setTimeout(wake, delayMs)) : Promise.resolve());
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxItems);
      try {
        const answer = await send(batch.map(({ item }) => item));
        for (const { sent } of batch) sent.resolve(answer);
      } catch (error) {
        for (const { sent } of batch) sent.reject(error);
      }
    }
    running = undefined;
  };
  return {
    add(item) {
      const sent = Promise.withResolvers<R>();
      waiting.push({ item, sent });
      running ??= run();
      return sent.promise;
    },
    flush: async () => running,
  };
}
