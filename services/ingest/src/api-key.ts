import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Fault, idFromUuid, isId, rightsOfScopes, uuidFromId } from '@attache/contracts';
import { type Database, findApiKey } from '@attache/database';
import type { Caller } from './caller.ts';

// Key ids and secrets are base64url and may hold `_` themselves: the lengths divide them. The last eight digits are a checksum,
// so that a leaked key can be told from noise without asking us.
const API_KEY = /^atk_([A-Za-z0-9_-]{22})_([A-Za-z0-9_-]{43})([0-9a-f]{8})$/;

const checksumOf = (secret: string): string => crc32(secret).toString(16).padStart(8, '0');
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export type NewApiKeySecret = {
  /** The whole credential, shown once. */
  apiKey: string;
  /** What is stored. */
  secretHash: string;
};

/** Makes the secret of an API key: 32 random bytes, of which only the hash is kept. */
export function createApiKeySecret(keyId: string): NewApiKeySecret {
  const secret = randomBytes(32).toString('base64url');
  const encodedId = idFromUuid('key', keyId).slice('key_'.length);
  return { apiKey: `atk_${encodedId}_${secret}${checksumOf(secret)}`, secretHash: hashOf(secret) };
}

function parseApiKey(credential: string): { keyId: string; secret: string } | undefined {
  const [, encodedId = '', secret = '', checksum] = API_KEY.exec(credential) ?? [];
  const id = `key_${encodedId}`;
  if (!isId('key', id) || checksumOf(secret) !== checksum) return undefined;
  return { keyId: uuidFromId(id), secret };
}

export const unauthenticated = (): Fault =>
  new Fault(
    'UNAUTHENTICATED',
    'The credential is missing, unknown or has expired. Send `Authorization: Bearer …` with a valid one.',
  );

/** The caller behind an API key, or a fault. */
export async function authenticateApiKey(db: Database, credential: string): Promise<Caller> {
  const parsed = parseApiKey(credential);
  if (!parsed) throw unauthenticated();
  const found = await findApiKey(db, parsed.keyId);
  const expected = Buffer.from(found?.secretHash ?? hashOf(''));
  const isSecret = timingSafeEqual(expected, Buffer.from(hashOf(parsed.secret)));
  if (!found || !isSecret || !found.isUsable) throw unauthenticated();
  return {
    tenantId: found.tenantId,
    actor: { type: 'key', id: idFromUuid('key', parsed.keyId) },
    rights: rightsOfScopes(found.scopes),
    onlySessionId: undefined,
    isTrusted: found.trustedTrace,
    maxUploadBytes: found.maxUploadBytes ?? undefined,
  };
}
