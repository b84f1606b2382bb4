import { randomUUID } from 'node:crypto';
import { isFault } from '@attache/contracts';
import type { Database, FoundApiKey } from '@attache/database';
import { describe, expect, it } from 'vitest';
import { authenticateApiKey, createApiKeySecret } from './api-key.ts';

const keyId = randomUUID();
const { apiKey, secretHash } = createApiKeySecret(keyId);

const row: FoundApiKey = {
  tenantId: randomUUID(),
  secretHash,
  scopes: ['read'],
  trustedTrace: true,
  isUsable: true,
  maxUploadBytes: null,
};

/** A database that knows one key, and counts how often it is asked. */
function databaseWith(found: FoundApiKey | null) {
  const asked: unknown[] = [];
  const db = { call: async (statement: unknown) => asked.push(statement) && found } as unknown as Database;
  return { db, asked };
}

const refusedBy = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => isFault(error) && error.code,
  );

describe('an API key', () => {
  it('opens its tenant with the rights of its scopes', async () => {
    const caller = await authenticateApiKey(databaseWith(row).db, apiKey);
    expect(caller).toMatchObject({ tenantId: row.tenantId, isTrusted: true, onlySessionId: undefined });
    expect([...caller.rights].sort()).toEqual(['attachments:read', 'completion:read', 'events:read']);
  });

  it('is never stored: only a hash of its secret is', () => {
    expect(secretHash).toMatch(/^[0-9a-f]{64}$/);
    expect(apiKey).not.toContain(secretHash);
  });

  it('is told from noise by its checksum, without asking the database', async () => {
    const { db, asked } = databaseWith(row);
    const last = apiKey.at(-1) === '0' ? '1' : '0';
    expect(await refusedBy(authenticateApiKey(db, `${apiKey.slice(0, -1)}${last}`))).toBe('UNAUTHENTICATED');
    expect(await refusedBy(authenticateApiKey(db, 'atk_'))).toBe('UNAUTHENTICATED');
    expect(await refusedBy(authenticateApiKey(db, `${apiKey}x`))).toBe('UNAUTHENTICATED');
    expect(asked).toEqual([]);
  });

  it.each([
    ['is unknown', null],
    ['has another secret', { ...row, secretHash: createApiKeySecret(keyId).secretHash }],
    ['was revoked or has expired', { ...row, isUsable: false }],
  ])('is refused where it %s', async (_why, found) => {
    expect(await refusedBy(authenticateApiKey(databaseWith(found).db, apiKey))).toBe('UNAUTHENTICATED');
  });
});
