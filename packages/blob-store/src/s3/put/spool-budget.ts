/** The share of the budget that one put holds. */
export type SpoolShare = {
  /** Holds at least `sizeBytes`. Waits its turn while the budget is used up; an abort of the signal ends the waiting. */
  hold(sizeBytes: number, signal: AbortSignal): Promise<void>;
  release(): void;
};
export type SpoolBudget = { openShare(): SpoolShare };

type Share = { heldBytes: number };
type Waiting = { share: Share; wantedBytes: number; resolve(): void };
type Budget = {
  commonBytes: number;
  shareBytes: number;
  heldBytes: number;
  waiting: Set<Waiting>;
  favoured?: Share | undefined;
};

const STEP_BYTES = 256 * 1024;

/**
 * Memory that all puts share, first come, first served. A share grows to `shareBytes` at most. So that shares which have begun
 * do not wait for each other for ever, the last `shareBytes` of the budget serve one of them at a time, until it is released.
 */
export function createSpoolBudget(options: { budgetBytes: number; shareBytes: number }): SpoolBudget {
  const { shareBytes } = options;
  const commonBytes = Math.max(options.budgetBytes, 2 * shareBytes) - shareBytes;
  const budget: Budget = { commonBytes, shareBytes, heldBytes: 0, waiting: new Set() };
  return { openShare: () => openShare(budget) };
}

function openShare(budget: Budget): SpoolShare {
  const share = { heldBytes: 0 };
  return {
    async hold(sizeBytes, signal) {
      signal.throwIfAborted();
      if (sizeBytes <= share.heldBytes) return;
      const wantedBytes = Math.min(Math.ceil(sizeBytes / STEP_BYTES) * STEP_BYTES, budget.shareBytes);
      await wait(budget, { share, wantedBytes, signal });
    },
    release() {
      budget.heldBytes -= share.heldBytes;
      share.heldBytes = 0;
      if (budget.favoured === share) budget.favoured = undefined;
      serveWaiting(budget);
    },
  };
}

type AskedBytes = { share: Share; wantedBytes: number; signal: AbortSignal };

function wait(budget: Budget, { share, wantedBytes, signal }: AskedBytes): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      budget.waiting.delete(entry);
      reject(signal.reason);
    };
    const onServed = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const entry: Waiting = { share, wantedBytes, resolve: onServed };
    signal.addEventListener('abort', onAbort);
    budget.waiting.add(entry);
    serveWaiting(budget);
  });
}

function serveWaiting(budget: Budget): void {
  const entries = [...budget.waiting];
  const begun = entries.filter(({ share }) => share.heldBytes > 0);
  const fresh = entries.filter(({ share }) => share.heldBytes === 0);
  // Shares that have begun come first: their memory is free again when they are done. All are asked: one may be favoured.
  for (const entry of begun) serve(budget, entry);
  for (const entry of fresh) if (!serve(budget, entry)) break;
}

function serve(budget: Budget, entry: Waiting): boolean {
  const { share, wantedBytes } = entry;
  const moreBytes = wantedBytes - share.heldBytes;
  if (budget.heldBytes + moreBytes > budget.commonBytes) {
    if (share.heldBytes > 0) budget.favoured ??= share;
    if (budget.favoured !== share) return false;
  }
  budget.heldBytes += moreBytes;
  share.heldBytes = wantedBytes;
  budget.waiting.delete(entry);
  entry.resolve();
  return true;
}
