import { randomUUID } from 'node:crypto';
import { createApiKeySecret } from '@attache/api-keys/api-key-secret';
import { isFault } from '@attache/contracts';
import type { Database, FoundApiKey } from '@attache/database';
import { describe, expect, it } from 'vitest';
import { authenticateApiKey, readApiKey } from './api-key.ts';

const keyId = randomUUID();
const { apiKey, secretHash } = createApiKeySecret(keyId);

const row: FoundApiKey = {
  tenantId: randomUUID(),
  secretHash,
  scopes: ['read'],
  trustedTrace: true,
  isUsable: true,
  maxUploadBytes: null,
  firstKeyId: keyId,
  urlGeneration: 1,
};

/** A database that knows one key. */
const databaseWith = (found: FoundApiKey | null) => ({ call: async () => found }) as unknown as Database;

const codeOf = (error: unknown) => isFault(error) && error.code;
const outcomeOf = (promise: Promise<unknown>) => promise.then(() => 'accepted', codeOf);

describe('an API key', () => {
  it('opens its tenant with the rights of its scopes', async () => {
    const caller = await authenticateApiKey(databaseWith(row), readApiKey(apiKey));
    expect(caller).toMatchObject({ tenantId: row.tenantId, isTrusted: true, onlySessionId: undefined });
    expect([...caller.rights].sort()).toEqual(['attachments:read', 'completion:read', 'events:read']);
  });

  it.each([
    ['its checksum', `${apiKey.slice(0, -1)}${apiKey.at(-1) === '0' ? '1' : '0'}`],
    ['its length', `${apiKey}x`],
    ['its form', 'atk_'],
  ])('is told from noise by %s, without asking the database', (_, credential) => {
    expect(() => readApiKey(credential)).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }));
  });

  it.each([
    ['is unknown', null],
    ['has another secret', { ...row, secretHash: createApiKeySecret(keyId).secretHash }],
    ['was revoked or has expired', { ...row, isUsable: false }],
  ])('is refused where it %s', async (_why, found) => {
    expect(await outcomeOf(authenticateApiKey(databaseWith(found), readApiKey(apiKey)))).toBe('UNAUTHENTICATED');
  });
});
