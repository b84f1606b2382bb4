import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** The first key signs, all verify: so keys rotate. */
export type SigningKey = { kid: string; secret: Uint8Array };
export type SigningKeys = readonly [SigningKey, ...SigningKey[]];

export type Purpose = 'raw-url' | 'tenant-tag' | 'session-token' | 'cursor' | 'sealed-answer';

// Derived once: every signature needs one.
const derived = new WeakMap<SigningKey, Map<Purpose, Buffer>>();

/** A key of its own for each purpose, so that one kind of signature can never pass for another. */
export function deriveKey(key: SigningKey, purpose: Purpose): Buffer {
  const ofKey = derived.get(key) ?? new Map<Purpose, Buffer>();
  derived.set(key, ofKey);
  const known = ofKey.get(purpose) ?? createHmac('sha256', key.secret).update(`attache ${purpose} v1`).digest();
  ofKey.set(purpose, known);
  return known;
}

export function findSigningKey(keys: SigningKeys, kid: string): SigningKey | undefined {
  return keys.find((key) => key.kid === kid);
}

// Made once: with the bytes of a key instead, a MAC takes five times as long.
const macKeys = new WeakMap<Buffer, KeyObject>();

/** HMAC-SHA256 of a text under the key of a purpose. */
export function computeMac(key: SigningKey, purpose: Purpose, text: string): Buffer {
  const derivedKey = deriveKey(key, purpose);
  const macKey = macKeys.get(derivedKey) ?? createSecretKey(derivedKey);
  macKeys.set(derivedKey, macKey);
  return createHmac('sha256', macKey).update(text).digest();
}
