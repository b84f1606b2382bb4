import { and, count, eq, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { tenantSecret } from '../schema.ts';
import { lockUsage } from '../tenancy/lock-usage.ts';
import { isUseDue, type SecretRow } from './secret-reader.ts';

/** A sealed value: the key that opens it by its id, the rest base64url. */
export type SealedColumns = { kid: string; enc: string; ciphertext: string };

/** The stored version of one name, 0 if there is none, and how many secrets the tenant has. */
export type HeldSecrets = { version: number; count: number };

/** Keeps others from saving a secret of this tenant until the transaction ends. */
export async function holdSecrets(tx: Tx, name: string): Promise<HeldSecrets> {
  await lockUsage(tx);
  const [kept] = await tx
    .select({ version: tenantSecret.version })
    .from(tenantSecret)
    .where(eq(tenantSecret.name, name));
  const [all] = await tx.select({ count: count() }).from(tenantSecret);
  return { version: kept?.version ?? 0, count: all?.count ?? 0 };
}

/** Keeps a version in the place of the one before. The caller holds the tenant's secrets. */
export async function saveSecret(
  tx: Tx,
  row: SealedColumns & { tenantId: string; name: string; version: number },
): Promise<SecretRow> {
  const { version, kid, enc, ciphertext } = row;
  const [saved] = await tx
    .insert(tenantSecret)
    .values(row)
    .onConflictDoUpdate({
      target: [tenantSecret.tenantId, tenantSecret.name],
      set: { version, kid, enc, ciphertext, updatedAt: sql`now()` },
    })
    .returning();
  if (!saved) throw new Error('a secret is not there after it was saved');
  return saved;
}

/** Removes a secret for good. Undefined: there was none of this name. */
export async function deleteSecret(tx: Tx, name: string): Promise<SecretRow | undefined> {
  const [deleted] = await tx.delete(tenantSecret).where(eq(tenantSecret.name, name)).returning();
  return deleted;
}

/** Keeps the time of a use. False: another use was noted a moment ago, or there is no such secret any more. */
export async function noteSecretUse(tx: Tx, name: string): Promise<boolean> {
  const noted = await tx
    .update(tenantSecret)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(tenantSecret.name, name), isUseDue))
    .returning({ name: tenantSecret.name });
  return noted.length > 0;
}

/** Keeps the same value under another key. False: the secret was changed or removed since it was read, and stays as it is. */
export async function rewrapSecret(tx: Tx, read: SecretRow, sealed: SealedColumns): Promise<boolean> {
  // Each sealing has an `enc` of its own, also that of a secret which was removed and saved again as the same version.
  const isSame = sql`${tenantSecret.name} = ${read.name} and ${tenantSecret.version} = ${read.version} and ${tenantSecret.kid} = ${read.kid} and ${tenantSecret.enc} = ${read.enc}`;
  const rewrapped = await tx.update(tenantSecret).set(sealed).where(isSame).returning({ name: tenantSecret.name });
  return rewrapped.length > 0;
}
