import type { Scope } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Database, Tx } from './database.ts';
import { apiKey, tenant } from './schema.ts';

/** Makes a tenant; the caller chose the id, so that the transaction can act inside it. */
export async function insertTenant(db: Database, row: { tenantId: string; name: string }): Promise<void> {
  await db.asTenant(row.tenantId, async (tx) => {
    await tx.insert(tenant).values(row);
  });
}

/** Uuid of the tenant with this name. */
export async function findTenantByName(db: Database, name: string): Promise<string | undefined> {
  const found = await db.call<string | null>(sql`select attache_find_tenant_named(${name})`);
  return found ?? undefined;
}

export type NewApiKey = {
  tenantId: string;
  id: string;
  name: string;
  secretHash: string;
  scopes: Scope[];
  trustedTrace: boolean;
};

export async function insertApiKey(db: Database, row: NewApiKey): Promise<void> {
  await db.asTenant(row.tenantId, async (tx) => {
    await tx.insert(apiKey).values(row);
  });
}

/** The tenant's own upload limit in bytes; undefined for the default. */
export async function findUploadLimit(tx: Tx): Promise<number | undefined> {
  const [row] = await tx.select({ maxUploadBytes: tenant.maxUploadBytes }).from(tenant);
  return row?.maxUploadBytes ?? undefined;
}
