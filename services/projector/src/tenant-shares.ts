import type { Settlement } from '@attache/event-bus';

const MIN_DELAY_MS = 20;
const MAX_DELAY_MS = 5_000;
/** The fractions of its multiples are spread evenly, however many there are. */
const GOLDEN_RATIO = 0.618;
/** Until some have ended, nothing is known of how fast they do: rather too soon. */
const FIRST_INTERVAL_MS = 2;
/** Messages that were put off come back a little early rather than late: one that comes in vain costs less than an idle worker. */
const EARLY = 0.7;
/** With more of them the time over which they come back is the longest in any case. */
const MAX_COUNTED = 10_000;
/** How much the last interval counts. */
const NEWEST = 0.2;

export type TenantShares = {
  /** Runs the work on a message of a tenant, or puts the message off, which counts as no attempt. */
  run(message: { id: string; tenantId: string }, work: () => Promise<Settlement>): Promise<Settlement>;
};

/** `putOff`: those that have not come back yet. */
type Tenant = { inWork: number; putOff: Set<string>; intervalMs: number; lastEndMs: number | undefined };

/**
 * Leaves room for other tenants among the messages in work (BX-27): one tenant has `most` of them. What is put off comes back spread over the
 * time in which the tenant's workers will have taken it, as fast as its messages end now. So a tenant that is alone keeps its workers busy,
 * and a long queue is not read over and over.
 */
export function createTenantShares(most: number, now: () => number = () => performance.now()): TenantShares {
  const tenants = new Map<string, Tenant>();
  let turn = 0;

  function putOff(tenant: Tenant, id: string): Settlement {
    if (tenant.putOff.size < MAX_COUNTED) tenant.putOff.add(id);
    turn = (turn + GOLDEN_RATIO) % 1;
    const horizonMs = Math.min(MAX_DELAY_MS, tenant.putOff.size * tenant.intervalMs * EARLY);
    return { as: 'later', delayMs: MIN_DELAY_MS + Math.round(turn * horizonMs) };
  }

  function end(tenantId: string, tenant: Tenant): void {
    const endMs = now();
    // Only while more wait than are in work: else it says how fast they come.
    if (tenant.inWork > most / 2 && tenant.lastEndMs !== undefined)
      tenant.intervalMs += NEWEST * (endMs - tenant.lastEndMs - tenant.intervalMs);
    tenant.lastEndMs = endMs;
    tenant.inWork -= 1;
    if (tenant.inWork === 0) tenants.delete(tenantId);
  }

  return {
    async run({ id, tenantId }, work) {
      const tenant = tenants.get(tenantId) ?? {
        ...{ inWork: 0, putOff: new Set<string>(), intervalMs: FIRST_INTERVAL_MS, lastEndMs: undefined },
      };
      tenant.putOff.delete(id);
      if (tenant.inWork >= most) return putOff(tenant, id);
      tenants.set(tenantId, tenant);
      tenant.inWork += 1;
      try {
        return await work();
      } finally {
        end(tenantId, tenant);
      }
    },
  };
}
