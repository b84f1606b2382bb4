/** Waiting work, in a queue for each tenant. */
export type TurnQueues<W> = {
  readonly size: number;
  add(owner: string, waiter: W): void;
  remove(owner: string, waiter: W): void;
  /** The first of the owner of the least weight, and among equals of the one that was served longest ago. */
  takeNext(weigh: (owner: string) => number): { owner: string; waiter: W } | undefined;
  /** The last comer of the longest queue, where that is longer than this owner's would be with one more. */
  takeCrowding(owner: string): W | undefined;
  takeAll(): W[];
};

export function createTurnQueues<W>(): TurnQueues<W> {
  // In the order of turns: who is served goes to the end.
  const queues = new Map<string, Set<W>>();
  let size = 0;

  const lengthOf = (owner: string) => queues.get(owner)?.size ?? 0;
  function remove(owner: string, waiter: W): void {
    const queue = queues.get(owner);
    if (!queue?.delete(waiter)) return;
    size -= 1;
    if (queue.size === 0) queues.delete(owner);
  }

  return {
    get size() {
      return size;
    },
    add(owner, waiter) {
      queues.set(owner, (queues.get(owner) ?? new Set()).add(waiter));
      size += 1;
    },
    remove,
    takeNext(weigh) {
      let owner: string | undefined;
      for (const each of queues.keys()) if (owner === undefined || weigh(each) < weigh(owner)) owner = each;
      const queue = owner === undefined ? undefined : queues.get(owner);
      const [waiter] = queue ?? [];
      if (owner === undefined || queue === undefined || waiter === undefined) return undefined;
      remove(owner, waiter);
      if (queues.delete(owner)) queues.set(owner, queue);
      return { owner, waiter };
    },
    takeCrowding(owner) {
      let longest = owner;
      for (const each of queues.keys()) if (lengthOf(each) > lengthOf(longest)) longest = each;
      const last = [...(queues.get(longest) ?? [])].at(-1);
      if (last === undefined || lengthOf(longest) <= lengthOf(owner) + 1) return undefined;
      remove(longest, last);
      return last;
    },
    takeAll() {
      const all = [...queues.values()].flatMap((queue) => [...queue]);
      queues.clear();
      size = 0;
      return all;
    },
  };
}
