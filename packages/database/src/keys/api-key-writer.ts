import type { Scope } from '@attache/contracts';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { apiKey } from '../schema.ts';
import type { ApiKeyRow } from './api-key-reader.ts';

export type ApiKeyInsert = {
  tenantId: string;
  id: string;
  name: string;
  secretHash: string;
  scopes: Scope[];
  trustedTrace: boolean;
  expiresAt?: Date | undefined;
  /** Uuid of the key that this one replaces. */
  rotatedFrom?: string | undefined;
};

/** Adds a key; answers its row, or undefined where the tenant already has a key with this id. */
export async function insertApiKey(tx: Tx, row: ApiKeyInsert): Promise<ApiKeyRow | undefined> {
  const [inserted] = await tx.insert(apiKey).values(row).onConflictDoNothing().returning();
  return inserted;
}

/** Ends a key at once. False: it was revoked before, or is not there. */
export async function revokeApiKey(tx: Tx, keyId: string): Promise<boolean> {
  const revoked = await tx
    .update(apiKey)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKey.id, keyId), isNull(apiKey.revokedAt)))
    .returning({ id: apiKey.id });
  return revoked.length > 0;
}

/** Lets a key end after so many seconds by the database's clock, unless it ends earlier by itself. */
export async function shortenApiKey(tx: Tx, keyId: string, leftSeconds: number): Promise<void> {
  // Times are kept in milliseconds, rounded: a key without an overlap would live on for half of one.
  const end = sql`date_trunc('milliseconds', now()) + make_interval(secs => ${leftSeconds}::int)`;
  await tx
    .update(apiKey)
    .set({ expiresAt: sql`least(coalesce(${apiKey.expiresAt}, ${end}), ${end})` })
    .where(eq(apiKey.id, keyId));
}

/** Notes that a key was used now. What was noted within the last minute stays. */
export async function noteKeyUse(tx: Tx, keyId: string): Promise<void> {
  // Not waited for on the disk: a time that is lost is noted again with the next request.
  await tx.execute(sql`set local synchronous_commit = off`);
  await tx
    .update(apiKey)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(apiKey.id, keyId), sql`coalesce(${apiKey.lastUsedAt} <= now() - interval '1 minute', true)`));
}
