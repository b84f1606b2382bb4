import type { Scope } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';

/** What the gate needs of an API key. The caller compares the hash in constant time. */
export type FoundApiKey = {
  tenantId: string;
  secretHash: string;
  scopes: Scope[];
  trustedTrace: boolean;
  /** Neither revoked nor expired, and its tenant exists. */
  isUsable: boolean;
  /** The tenant's own limit; null for the default. */
  maxUploadBytes: number | null;
};

/** One round trip: the tenant is found by a security-definer look-up, the row is read inside that tenant. */
export async function findApiKey(db: Database, keyId: string): Promise<FoundApiKey | null> {
  return db.call(sql`select attache_find_key(${keyId}::uuid)`);
}
