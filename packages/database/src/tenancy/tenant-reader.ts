import { idFromUuid, type Tenant } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { tenant } from '../schema.ts';

type TenantRow = typeof tenant.$inferSelect;

/** Uuid of the tenant with this name. */
export async function findTenantByName(db: Database, name: string): Promise<string | undefined> {
  const found = await db.call<string | null>(sql`select attache_find_tenant_named(${name})`);
  return found ?? undefined;
}

/** Reads the generation of all signed URLs of the transaction's tenant. */
export async function readTenantUrlGeneration(tx: Tx): Promise<number> {
  const [row] = await tx.select({ urlGeneration: tenant.urlGeneration }).from(tenant);
  if (!row) throw new Error('a transaction is in no tenant');
  return row.urlGeneration;
}

/** Whether a tenant is there and not suspended. One round trip. */
export async function isTenantActive(db: Database, tenantId: string): Promise<boolean> {
  return db.call(sql`select attache_is_tenant_active(${tenantId}::uuid)`, { tenantId });
}

/** The tenant of this transaction, as the operator sees it. */
export async function readTenant(tx: Tx): Promise<Tenant | undefined> {
  const [row] = await tx.select().from(tenant);
  return row && describeTenant(row);
}

/** Tenants by name, from the one after `afterName`: for the operator. */
export async function listTenants(
  db: Database,
  query: { afterName?: string | undefined; limit: number },
): Promise<Tenant[]> {
  const statement = sql`select attache_tenants_after(${query.afterName ?? null}::text, ${query.limit}::int)`;
  const rows = await db.asWorker((tx) => runStatement<ListedTenant[]>(tx, statement));
  return rows.map((row) => {
    const suspendedAt = row.suspendedAt === null ? null : new Date(row.suspendedAt);
    return describeTenant({ ...row, suspendedAt, createdAt: new Date(row.createdAt) });
  });
}

type ShownColumn =
  | 'tenantId'
  | 'name'
  | 'maxUploadBytes'
  | 'quotaBytes'
  | 'tokensPerDay'
  | 'maxLiveAgents'
  | 'reservedBytes'
  | 'usedBytes'
  | 'suspendedAt'
  | 'createdAt'
  | 'schemaVersion';
type ShownTenant = Pick<TenantRow, ShownColumn>;
type ListedTenant = Omit<ShownTenant, 'suspendedAt' | 'createdAt'> & { suspendedAt: string | null; createdAt: string };

function describeTenant(row: ShownTenant): Tenant {
  return {
    id: idFromUuid('tenant', row.tenantId),
    name: row.name,
    status: row.suspendedAt === null ? 'active' : 'suspended',
    ...(row.maxUploadBytes === null ? {} : { maxUploadBytes: row.maxUploadBytes }),
    ...(row.quotaBytes === null ? {} : { quotaBytes: row.quotaBytes }),
    ...(row.tokensPerDay === null ? {} : { tokensPerDay: row.tokensPerDay }),
    ...(row.maxLiveAgents === null ? {} : { maxLiveAgents: row.maxLiveAgents }),
    usedBytes: row.usedBytes,
    reservedBytes: row.reservedBytes,
    createdAt: row.createdAt.toISOString(),
    ...(row.suspendedAt === null ? {} : { suspendedAt: row.suspendedAt.toISOString() }),
    schemaVersion: row.schemaVersion,
  };
}
