import { HpkeError } from '@hpke/core';
import { copyBytes, describePlace, info, suite } from './hpke-suite.ts';
import type { OpeningKey, SealingKey } from './key-text.ts';
import type { SealedSecret, SecretPlace } from './sealed-secret.ts';

/** `key-missing`: it is sealed to a key that is not here. `damaged`: not what was sealed for this place. */
export type OpenedSecret =
  | { status: 'opened'; value: string }
  | { status: 'key-missing'; kid: string }
  | { status: 'damaged' };

/** Opens a secret with the key that it names. */
export async function openSecret(
  keys: readonly OpeningKey[],
  place: SecretPlace,
  { kid, enc, ciphertext }: SealedSecret,
): Promise<OpenedSecret> {
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) return { status: 'key-missing', kid };
  const recipientKey = await suite.kem.deserializePrivateKey(copyBytes(key.bytes));
  try {
    const sender = { recipientKey, enc: read(enc), info };
    const value = await suite.open(sender, read(ciphertext), describePlace(place));
    return { status: 'opened', value: new TextDecoder().decode(value) };
  } catch (error) {
    if (error instanceof HpkeError) return { status: 'damaged' };
    throw error;
  }
}

/** The half of a key to which others seal. */
export async function findSealingKey({ kid, bytes }: OpeningKey): Promise<SealingKey> {
  const privateKey = await suite.kem.deserializePrivateKey(copyBytes(bytes));
  const { x = '' } = await crypto.subtle.exportKey('jwk', privateKey);
  return { half: 'public', kid, bytes: Buffer.from(x, 'base64url') };
}

const read = (text: string): ArrayBuffer => copyBytes(Buffer.from(text, 'base64url'));
