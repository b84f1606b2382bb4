import type { ClaimedMessage } from '@attache/database';

/** Messages of this process that are claimed and in work. */
export type KeptClaims = {
  add(claimed: ClaimedMessage): void;
  remove(claimed: ClaimedMessage): void;
  /** Whether a message is in work that was before: its last attempt failed, or ended without a word. */
  hasRepeated(): boolean;
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
  /** Those whose lease lasts for so many milliseconds yet. */
  const within = (ms: number) =>
    [...since].filter(([, claimedAt]) => performance.now() - claimedAt + ms <= leaseMs).map(([claimed]) => claimed);
  const timer = setInterval(() => {
    const kept = within(claimMs);
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
