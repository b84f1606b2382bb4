import { copyBytes, describePlace, info, suite, toBytes } from './hpke-suite.ts';
import type { SealingKey } from './key-text.ts';
import type { SealedSecret, SecretPlace } from './sealed-secret.ts';

/** Seals a value for one place. Whoever has only this key cannot open it again. */
export async function sealSecret(key: SealingKey, place: SecretPlace, value: string): Promise<SealedSecret> {
  const recipientPublicKey = await suite.kem.deserializePublicKey(copyBytes(key.bytes));
  const sealed = await suite.seal({ recipientPublicKey, info }, toBytes(value), describePlace(place));
  return { kid: key.kid, enc: spell(sealed.enc), ciphertext: spell(sealed.ct) };
}

const spell = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('base64url');
