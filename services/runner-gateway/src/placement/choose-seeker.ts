/** Who waits for a slot, and since when. */
export type WaitingSeeker = { tenantId: string; agentId: string; sinceMs: number };

/** How many slots a tenant holds, and when it got the last one; 0: it got none lately. */
export type TenantShare = { held: number; grantedAtMs: number };

/**
 * Who gets the next slot: the tenant that holds the fewest, so that none gets more than its share while another waits; among such tenants the one that has got none for
 * longest; of one tenant, the agent that has waited longest.
 */
export function chooseSeeker<T extends WaitingSeeker>(
  waiting: readonly T[],
  shareOf: (tenantId: string) => TenantShare,
): T | undefined {
  return waiting.toSorted((a, b) => {
    const [one, other] = [shareOf(a.tenantId), shareOf(b.tenantId)];
    return one.held - other.held || one.grantedAtMs - other.grantedAtMs || a.sinceMs - b.sinceMs;
  })[0];
}

/** An agent whose process runs and does nothing. */
export type RestingAgent = { tenantId: string; agentId: string; restedAtMs: number };

/** The agent whose process ends to make room: the longest resting one of the tenant that holds the most slots. */
export function chooseResting<T extends RestingAgent>(
  resting: readonly T[],
  heldBy: (tenantId: string) => number,
): T | undefined {
  let chosen: T | undefined;
  for (const one of resting) {
    const difference = chosen === undefined ? 1 : heldBy(one.tenantId) - heldBy(chosen.tenantId);
    if (chosen === undefined || difference > 0 || (difference === 0 && one.restedAtMs < chosen.restedAtMs))
      chosen = one;
  }
  return chosen;
}
