/** The result of one batch. `isDone`: there is no more. */
export type PrunedBatch = { removed: number; isDone: boolean };

/** Removes batch after batch, each in a transaction of its own; who is stopped or dies leaves the rest to the next time. Returns how many rows went. */
export async function pruneInBatches(signal: AbortSignal, pruneBatch: () => Promise<PrunedBatch>): Promise<number> {
  let total = 0;
  for (let isDone = false; !isDone && !signal.aborted; ) {
    const pruned = await pruneBatch();
    total += pruned.removed;
    isDone = pruned.isDone;
  }
  return total;
}
