import type { Settlement } from '@attache/event-bus';

const FIRST_DELAY_MS = 100;
const MOST_DELAY_MS = 5_000;

export type TenantShares = {
  /** Runs the work on a message of a tenant, or puts the message off, which counts as no attempt. */
  run(tenantId: string, work: () => Promise<Settlement>): Promise<Settlement>;
};

/**
 * Leaves room for other tenants among the messages in work (BX-27): one tenant has `most` of them. What is put off comes again the later
 * the more of its tenant was put off since one was taken, so that a long queue is not read over and over.
 */
export function createTenantShares(most: number): TenantShares {
  const tenants = new Map<string, { inWork: number; putOff: number }>();
  return {
    async run(tenantId, work) {
      const tenant = tenants.get(tenantId) ?? { inWork: 0, putOff: 0 };
      if (tenant.inWork >= most) {
        tenant.putOff += 1;
        return { as: 'later', delayMs: Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * tenant.putOff) };
      }
      tenants.set(tenantId, tenant);
      tenant.inWork += 1;
      tenant.putOff = 0;
      try {
        return await work();
      } finally {
        tenant.inWork -= 1;
        if (tenant.inWork === 0) tenants.delete(tenantId);
      }
    },
  };
}
