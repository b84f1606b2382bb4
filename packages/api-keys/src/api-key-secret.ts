import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { idFromUuid, isId, uuidFromId } from '@attache/contracts';

// Key ids and secrets are base64url and may hold `_` themselves: the lengths divide them. The last eight digits are a checksum, so that a scanner can
// distinguish a leaked key from noise without asking us.
const API_KEY = /^atk_([A-Za-z0-9_-]{22})_([A-Za-z0-9_-]{43})([0-9a-f]{8})$/;

const checksumOf = (secret: string): string => crc32(secret).toString(16).padStart(8, '0');

/** The stored form of a secret. */
export const hashApiKeySecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Whether a stored hash is the one of this secret. Where there is none it is not, and that takes as long. */
export function isApiKeySecret(secret: string, storedHash: string | undefined): boolean {
  const expected = Buffer.from(storedHash ?? hashApiKeySecret(''));
  return timingSafeEqual(expected, Buffer.from(hashApiKeySecret(secret))) && storedHash !== undefined;
}

export type ApiKeySecret = {
  /** The whole credential, shown once. */
  apiKey: string;
  /** The stored form. */
  secretHash: string;
};

/** Creates the secret of an API key: 32 random bytes; only their hash is kept. `keyId` is a uuid. */
export function createApiKeySecret(keyId: string = randomUUID()): ApiKeySecret {
  const secret = randomBytes(32).toString('base64url');
  const encodedId = idFromUuid('key', keyId).slice('key_'.length);
  return { apiKey: `atk_${encodedId}_${secret}${checksumOf(secret)}`, secretHash: hashApiKeySecret(secret) };
}

/** The uuid and the secret of a well-formed API key; undefined for anything else. */
export function parseApiKey(credential: string): { keyId: string; secret: string } | undefined {
  const [, encodedId = '', secret = '', checksum] = API_KEY.exec(credential) ?? [];
  const id = `key_${encodedId}`;
  if (!isId('key', id) || checksumOf(secret) !== checksum) return undefined;
  return { keyId: uuidFromId(id), secret };
}
