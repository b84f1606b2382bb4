const WINDOW_MS = 60_000;
const PROCESSOR_MS = 60_000;

/** The processor time that each tenant has used within the last minute. */
export type Spending = {
  charge(tenantId: string, processorMs: number): void;
  /** Whether a tenant has used up what it has while others wait. */
  isOver(tenantId: string): boolean;
};

type Charge = { tenantId: string; processorMs: number; at: number };

/** `now`: milliseconds of a clock that only goes forward. */
export function createSpending(now: () => number): Spending {
  // In the order of their times. Each is added once and taken off once, however many there are.
  const charges: Charge[] = [];
  const sums = new Map<string, number>();
  const add = (tenantId: string, processorMs: number) => {
    const sum = (sums.get(tenantId) ?? 0) + processorMs;
    if (sum > 0) sums.set(tenantId, sum);
    else sums.delete(tenantId);
  };
  const forgetOld = () => {
    const since = now() - WINDOW_MS;
    for (let first = charges[0]; first !== undefined && first.at <= since; first = charges[0]) {
      charges.shift();
      add(first.tenantId, -first.processorMs);
    }
  };
  return {
    charge(tenantId, processorMs) {
      forgetOld();
      if (processorMs <= 0) return;
      charges.push({ tenantId, processorMs, at: now() });
      add(tenantId, processorMs);
    },
    isOver(tenantId) {
      forgetOld();
      return (sums.get(tenantId) ?? 0) >= PROCESSOR_MS;
    },
  };
}
