const WINDOW_MS = 60_000;
const PROCESSOR_MS = 60_000;

/** What processor time each tenant has used within the last minute. */
export type Spending = {
  charge(tenantId: string, processorMs: number): void;
  /** Whether a tenant has used up what it has while others wait. */
  isOver(tenantId: string): boolean;
};

/** `now`: milliseconds of a clock that only goes forward. */
export function createSpending(now: () => number): Spending {
  let spent: { tenantId: string; processorMs: number; at: number }[] = [];
  return {
    charge(tenantId, processorMs) {
      const since = now() - WINDOW_MS;
      spent = spent.filter(({ at }) => at > since);
      if (processorMs > 0) spent.push({ tenantId, processorMs, at: now() });
    },
    isOver(tenantId) {
      const since = now() - WINDOW_MS;
      let sumMs = 0;
      for (const each of spent) if (each.tenantId === tenantId && each.at > since) sumMs += each.processorMs;
      return sumMs >= PROCESSOR_MS;
    },
  };
}
