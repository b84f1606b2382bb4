import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Fault } from '@attache/contracts';
import { deriveKey, findSigningKey, type SigningKeys } from '@attache/intake';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts an answer that is kept for an idempotency key: it may hold a token, a signed URL or a text. */
export function sealAnswer(keys: SigningKeys, answer: unknown): string {
  const [key] = keys;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(key, 'sealed-answer'), nonce);
  const sealed = Buffer.concat([
    nonce,
    cipher.update(JSON.stringify(answer), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return `${key.kid}.${sealed.toString('base64url')}`;
}

/** Opens a sealed answer. The caller knows what it sealed under this key and fingerprint. */
export function openAnswer<T>(keys: SigningKeys, sealedAnswer: string): T {
  const [kid = '', encoded = ''] = sealedAnswer.split('.');
  const key = findSigningKey(keys, kid);
  if (!key)
    throw new Fault('IDEMPOTENCY_KEY_REUSED', 'The kept answer can no longer be opened. Use a new Idempotency-Key.');
  const sealed = Buffer.from(encoded, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(key, 'sealed-answer'), sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  );
  return JSON.parse(text) as T;
}
