import type { TenantSecret } from '@attache/contracts';
import { asc, eq, gt, ne, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { tenantSecret } from '../schema.ts';

export type SecretRow = typeof tenantSecret.$inferSelect;

/** Whether the last use that was noted is a minute ago, or there was none. */
export const isUseDue = sql<boolean>`coalesce(${tenantSecret.lastUsedAt} <= now() - interval '1 minute', true)`;

/** All secrets of the tenant, by name. */
export async function listSecrets(tx: Tx): Promise<SecretRow[]> {
  return tx.select().from(tenantSecret).orderBy(asc(tenantSecret.name));
}

/** The secret of this name, and whether a use of it is to be noted again. */
export async function findSecret(tx: Tx, name: string): Promise<(SecretRow & { isUseDue: boolean }) | undefined> {
  const [found] = await tx
    .select({ row: tenantSecret, isUseDue })
    .from(tenantSecret)
    .where(eq(tenantSecret.name, name));
  return found && { ...found.row, isUseDue: found.isUseDue };
}

/** Up to `limit` secrets of the tenant behind a name, by name, that are sealed to another key than this one. */
export async function listSecretsOfOtherKeys(
  tx: Tx,
  { kid, after, limit }: { kid: string; after: string; limit: number },
): Promise<SecretRow[]> {
  const isOther = sql`${gt(tenantSecret.name, after)} and ${ne(tenantSecret.kid, kid)}`;
  return tx.select().from(tenantSecret).where(isOther).orderBy(asc(tenantSecret.name)).limit(limit);
}

/** The description of a secret for callers: never its value, nor its sealed form. */
export function describeSecret({
  name,
  version,
  createdAt,
  updatedAt,
  lastUsedAt,
  schemaVersion,
}: SecretRow): TenantSecret {
  return {
    ...{ name, version, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
    ...(lastUsedAt === null ? {} : { lastUsedAt: lastUsedAt.toISOString() }),
    schemaVersion,
  };
}
