import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** Both halves of a new pair under a random id, as the settings spell them. */
export function generateKey(): { privateKey: string; publicKey: string } {
  const kid = `k${randomBytes(4).toString('hex')}`;
  const { d, x } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { privateKey: `${kid}:${d}`, publicKey: `${kid}:${x}` };
}
