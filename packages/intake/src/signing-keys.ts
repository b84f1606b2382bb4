import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** The first key signs, all verify: so keys rotate. */
export type SigningKey = { kid: string; secret: Uint8Array };
export type SigningKeys = readonly [SigningKey, ...SigningKey[]];

export type Purpose = 'raw-url' | 'tenant-tag' | 'session-token' | 'event-ticket' | 'cursor' | 'sealed-answer';

// Derived once, since every signature needs one; as an object, since a MAC with the bytes of a key takes five times as long.
const derived = new WeakMap<SigningKey, Map<Purpose, KeyObject>>();

/** A key of its own for each purpose, so that one kind of signature can never pass for another. */
export function deriveKey(key: SigningKey, purpose: Purpose): KeyObject {
  const ofKey = derived.get(key) ?? new Map<Purpose, KeyObject>();
  derived.set(key, ofKey);
  const known = ofKey.get(purpose) ?? derive(key.secret, purpose);
  ofKey.set(purpose, known);
  return known;
}

const derive = (secret: Uint8Array, purpose: Purpose): KeyObject =>
  createSecretKey(createHmac('sha256', secret).update(`attache ${purpose} v1`).digest());

export function findSigningKey(keys: SigningKeys, kid: string): SigningKey | undefined {
  return keys.find((key) => key.kid === kid);
}

/** HMAC-SHA256 of a text under the key of a purpose. */
export function computeMac(key: SigningKey, purpose: Purpose, text: string): Buffer {
  return createHmac('sha256', deriveKey(key, purpose)).update(text).digest();
}
