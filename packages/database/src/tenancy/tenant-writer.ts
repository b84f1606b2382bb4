import { isNull, sql } from 'drizzle-orm';
import type { Database, Tx } from '../database.ts';
import { tenant } from '../schema.ts';

/** Makes a tenant; the caller chose the id, so that the transaction can act inside it. */
export async function insertTenant(db: Database, row: { tenantId: string; name: string }): Promise<void> {
  await db.asTenant(row.tenantId, (tx) => addTenant(tx, row));
}

/** Makes a tenant in a transaction that has entered its id already. */
export async function addTenant(tx: Tx, row: { tenantId: string; name: string }): Promise<void> {
  await tx.insert(tenant).values(row);
}

/** Sizes in bytes, tokens of models for each day in UTC, agents that run at the same time. Null takes a limit away; one that is not named stays. */
export type TenantLimits = {
  maxUploadBytes?: number | null;
  quotaBytes?: number | null;
  tokensPerDay?: number | null;
  maxLiveAgents?: number | null;
};

/** Changes limits of the transaction's tenant. A quota below what is used refuses uploads and deletes nothing. */
export async function setTenantLimits(tx: Tx, limits: TenantLimits): Promise<void> {
  if (Object.keys(limits).length > 0) await tx.update(tenant).set(limits);
}

/** Ends every signed URL of the transaction's tenant. */
export async function raiseTenantUrlGeneration(tx: Tx): Promise<void> {
  await tx.update(tenant).set({ urlGeneration: sql`${tenant.urlGeneration} + 1` });
}

/** Suspends the transaction's tenant. False: it was suspended before. */
export async function suspendTenant(tx: Tx): Promise<boolean> {
  const suspended = await tx
    .update(tenant)
    .set({ suspendedAt: sql`now()` })
    .where(isNull(tenant.suspendedAt))
    .returning({ tenantId: tenant.tenantId });
  return suspended.length > 0;
}

/** Takes the suspension away. False: there was none. */
export async function restoreTenant(tx: Tx): Promise<boolean> {
  const restored = await tx
    .update(tenant)
    .set({ suspendedAt: null })
    .where(sql`${tenant.suspendedAt} is not null`)
    .returning({ tenantId: tenant.tenantId });
  return restored.length > 0;
}
