import type { ClaimedMessage } from '@attache/database';

/** Messages of this process that are claimed and in work. */
export type KeptClaims = {
  add(claimed: ClaimedMessage): void;
  remove(claimed: ClaimedMessage): void;
  stop(): void;
};

/**
 * A claim is short, so that a message of a process that died comes again soon, and is extended while its handler works, for `leaseMs`
 * at most: a handler that never ends gives its message up all the same.
 */
export function keepClaims(options: {
  claimMs: number;
  leaseMs: number;
  extend: (claimed: ClaimedMessage[]) => Promise<void>;
  onError: (error: unknown) => void;
}): KeptClaims {
  const { claimMs, leaseMs, extend, onError } = options;
  const since = new Map<ClaimedMessage, number>();
  const timer = setInterval(() => {
    const now = performance.now();
    const kept = [...since].filter(([, claimedAt]) => now - claimedAt + claimMs <= leaseMs).map(([claimed]) => claimed);
    if (kept.length > 0) extend(kept).catch(onError);
  }, claimMs / 3);
  return {
    add: (claimed) => since.set(claimed, performance.now()),
    remove: (claimed) => since.delete(claimed),
    stop: () => clearInterval(timer),
  };
}
