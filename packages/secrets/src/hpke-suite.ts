import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import type { SecretPlace } from './sealed-secret.ts';

/** RFC 9180, base mode. All of it is Node's own WebCrypto. */
export const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});

/** The purpose of these keys: a ciphertext of another use of the same key does not open here. */
export const info = toBytes('attache tenant-secret v1');

/** The bytes that bind a ciphertext to its place. A list in JSON, so that no two places have the same. */
export function describePlace({ tenantId, name, version }: SecretPlace): ArrayBuffer {
  return toBytes(JSON.stringify([tenantId, name, version]));
}

export function toBytes(text: string): ArrayBuffer {
  return copyBytes(new TextEncoder().encode(text));
}

/** A small Buffer is a window on a larger one, which is not what WebCrypto is to read. */
export function copyBytes(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
