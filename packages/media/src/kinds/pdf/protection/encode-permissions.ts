import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { PdfDictionary } from '../pdf-dictionary.ts';
import { decodeString, encodeString } from './pdf-string.ts';

// Parts of the entry for the user's password.
const saltsAt = { validation: 32, key: 40, end: 48 };

/**
 * The encrypted copy of the permissions of a document that opens without a password; undefined if one is needed. It keeps others from changing them; only the
 * reader of ours refuses a document without it.
 */
export function encodePermissions(entries: PdfDictionary): string | undefined {
  const user = decodeString(entries.get('/U') ?? '');
  const wrappedKey = decodeString(entries.get('/UE') ?? '').subarray(0, 32);
  if (user.length < saltsAt.end || wrappedKey.length < 32) return undefined;
  const hash = entries.get('/R') === '5' ? hashOnce : hashRepeatedly;
  const check = hash(user.subarray(saltsAt.validation, saltsAt.key));
  if (!check.equals(user.subarray(0, saltsAt.validation))) return undefined;
  const wrapping = hash(user.subarray(saltsAt.key, saltsAt.end));
  const opener = createDecipheriv('aes-256-cbc', wrapping, Buffer.alloc(16)).setAutoPadding(false);
  const key = Buffer.concat([opener.update(wrappedKey), opener.final()]);
  const closer = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return encodeString(Buffer.concat([closer.update(describePermissions(entries)), closer.final()]));
}

function describePermissions(entries: PdfDictionary): Buffer {
  const permissions = Buffer.from(Int32Array.of(Number(entries.get('/P') ?? 0)).buffer);
  const encryptsMetadata = entries.get('/EncryptMetadata') !== 'false';
  return Buffer.concat([permissions, Buffer.alloc(4, 0xff), Buffer.from(`${encryptsMetadata ? 'T' : 'F'}adb    `)]);
}

const hashOnce = (salt: Buffer) => createHash('sha256').update(salt).digest();

// As ISO 32000-2, 7.6.4.3.4 has it for an empty password.
function hashRepeatedly(salt: Buffer): Buffer {
  let key = hashOnce(salt);
  for (let round = 0, last = 0; round < 64 || last > round - 32; round += 1) {
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false);
    const mixed = cipher.update(Buffer.concat(Array.from({ length: 64 }, () => key)));
    const remainder = mixed.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash(['sha256', 'sha384', 'sha512'][remainder] ?? '')
      .update(mixed)
      .digest();
    last = mixed.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}
