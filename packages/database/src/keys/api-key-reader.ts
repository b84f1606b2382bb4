import { type ApiKey, idFromUuid, type Scope } from '@attache/contracts';
import { eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '../database.ts';
import type { NamedJson } from '../message/named-reader.ts';
import { apiKey } from '../schema.ts';
import type { LogTerms, LookAhead, UploadTerms } from './token-holder-reader.ts';

/** The data of an API key that the gate needs. The caller compares the hash in constant time. */
export type FoundApiKey = {
  tenantId: string;
  secretHash: string;
  scopes: Scope[];
  trustedTrace: boolean;
  /** Neither revoked nor expired, and its tenant exists and is not suspended. */
  isUsable: boolean;
  /** The tenant's own limit; null for the default. */
  maxUploadBytes: number | null;
  /** The current generation of all signed URLs of the tenant. */
  urlGeneration: number;
  /** Uuid of the key from which rotations led to this one; its own where there were none. */
  firstKeyId: string;
  /** Set if the look-up was for an upload. */
  upload?: UploadTerms | undefined;
  /** Set if the look-up was for a session's log. */
  log?: LogTerms | undefined;
  /** Set if the look-up was for the names in a message; null if there is no such session. */
  named?: NamedJson | null | undefined;
};

/**
 * One round trip: the tenant is found by a security-definer look-up, the row is read inside that tenant. With `ahead` it also
 * says by what an upload to that session would be refused, where its log ends, or what a message to it names.
 */
export async function findApiKey(db: Database, keyId: string, ahead?: LookAhead): Promise<FoundApiKey | null> {
  switch (ahead?.of) {
    case 'upload':
      return db.call(sql`select attache_find_key_for_upload(${keyId}::uuid, ${ahead.sessionId}::uuid)`);
    case 'log':
      return db.call(sql`select attache_find_key_for_log(${keyId}::uuid, ${ahead.sessionId}::uuid)`);
    case 'message': {
      const named = JSON.stringify(ahead.named);
      return db.call(sql`select attache_find_key_for_message(${keyId}::uuid, ${named}::jsonb)`);
    }
    default:
      return db.call(sql`select attache_find_key(${keyId}::uuid)`);
  }
}

export type ApiKeyRow = typeof apiKey.$inferSelect;

/** A key by uuid; undefined where it is unknown or another tenant's. `lock` holds it until the transaction ends. */
export async function readApiKey(tx: Tx, keyId: string, lock?: 'for-update'): Promise<ApiKeyRow | undefined> {
  const query = tx.select().from(apiKey).where(eq(apiKey.id, keyId));
  const [row] = await (lock ? query.for('update') : query);
  return row;
}

/** Whether a rotation has made a successor of this key. */
export async function hasSuccessor(tx: Tx, keyId: string): Promise<boolean> {
  const found = await tx.select({ id: apiKey.id }).from(apiKey).where(eq(apiKey.rotatedFrom, keyId)).limit(1);
  return found.length > 0;
}

export type ApiKeyQuery = {
  /** The last item of the page before. */
  after?: { createdAt: Date; id: string } | undefined;
  limit: number;
};

/** Keys of the tenant, oldest first; also those that ended. */
export async function listApiKeys(tx: Tx, { after, limit }: ApiKeyQuery): Promise<ApiKeyRow[]> {
  // A comparison of rows, which one look into the index answers.
  const isAfter =
    after &&
    sql`(${apiKey.createdAt}, ${apiKey.id}) > (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`;
  return tx.select().from(apiKey).where(isAfter).orderBy(apiKey.createdAt, apiKey.id).limit(limit);
}

function statusOf(row: ApiKeyRow, now: Date): ApiKey['status'] {
  if (row.revokedAt !== null) return 'revoked';
  return row.expiresAt !== null && row.expiresAt <= now ? 'expired' : 'active';
}

/** A key as callers see it: never its hash. */
export function describeApiKey(row: ApiKeyRow, now: Date): ApiKey {
  return {
    id: idFromUuid('key', row.id),
    name: row.name,
    scopes: row.scopes,
    trustedTrace: row.trustedTrace,
    status: statusOf(row, now),
    createdAt: row.createdAt.toISOString(),
    ...(row.expiresAt === null ? {} : { expiresAt: row.expiresAt.toISOString() }),
    ...(row.revokedAt === null ? {} : { revokedAt: row.revokedAt.toISOString() }),
    ...(row.lastUsedAt === null ? {} : { lastUsedAt: row.lastUsedAt.toISOString() }),
    ...(row.rotatedFrom === null ? {} : { rotatedFrom: idFromUuid('key', row.rotatedFrom) }),
    schemaVersion: row.schemaVersion,
  };
}
