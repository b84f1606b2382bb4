/** Messages of this process that are claimed and in work. */
export type KeptClaims<C> = {
  add(claimed: C): void;
  remove(claimed: C): void;
  /** Whether a message is in work that was before: its last attempt failed, or ended without a word. */
  hasRepeated(): boolean;
  stop(): void;
};

/**
 * A claim is short, so that a message of a process that died comes again soon, and is extended while its handler works, for `leaseMs`
 * at most: a handler that never ends gives its message up all the same.
 */
export function keepClaims<C extends { attempt: number }>(options: {
  claimMs: number;
  leaseMs: number;
  /** Claims that are younger are not extended yet. */
  sinceMs?: number;
  extend: (claimed: C[]) => Promise<void>;
  onError: (error: unknown) => void;
}): KeptClaims<C> {
  const { claimMs, leaseMs, sinceMs = 0, extend, onError } = options;
  const since = new Map<C, number>();
  /** The claims that are at least that old, and whose lease lasts at least that many milliseconds more. */
  const within = (ms: number, agoMs = 0) =>
    [...since]
      .filter(([, claimedAt]) => {
        const heldMs = performance.now() - claimedAt;
        return heldMs >= agoMs && heldMs + ms <= leaseMs;
      })
      .map(([claimed]) => claimed);
  const timer = setInterval(() => {
    const kept = within(claimMs, sinceMs);
    if (kept.length > 0) extend(kept).catch(onError);
  }, claimMs / 3);
  // A handler that does not end keeps no process alive.
  timer.unref();
  return {
    add: (claimed) => since.set(claimed, performance.now()),
    remove: (claimed) => since.delete(claimed),
    hasRepeated: () => within(0).some(({ attempt }) => attempt > 1),
    stop: () => clearInterval(timer),
  };
}
