import { createCipheriv, createHash } from 'node:crypto';
import { buildPdfOf, buildStream } from './pdfs.ts';

/** The ways to encrypt a PDF that opens without a password. The number after R is the revision of its handler. */
export type Encryption = 'RC4 R2' | 'RC4 R3' | 'RC4 R4' | 'AES R4' | 'AES R5' | 'AES R6' | 'none R4' | 'none R6';

export type EncryptionOptions = {
  encryptsMetadata?: boolean;
  /** Empty without it. */
  userPassword?: string;
  /** Whether the trailer has the ID from which older keys are made. */
  hasId?: boolean;
  /** Changes the dictionary of its handler. */
  rewrite?: (dictionary: string) => string;
};

/** A PDF of one page with this line, encrypted. Its owner password is "owner". */
export function buildEncryptedPdf(encryption: Encryption, line: string, options: EncryptionOptions = {}): Buffer {
  const { hasId = true, rewrite = (dictionary) => dictionary } = options;
  const id = hasId ? Buffer.from('0123456789abcdef') : Buffer.alloc(0);
  const { dictionary, key } =
    encryption.endsWith('R5') || encryption.endsWith('R6')
      ? describeNewHandler(encryption, options)
      : describeOldHandler(encryption, id, options);
  const content = encryptStream(encryption, key, Buffer.from(`BT /F1 12 Tf 36 700 Td (${line}) Tj ET`));
  const trailer = `/Encrypt 6 0 R${hasId ? `/ID[${toHex(id)}${toHex(id)}]` : ''}`;
  return buildPdfOf(listObjects(content.toString('latin1'), rewrite(dictionary)), trailer);
}

const contentNumber = 4;

/** The objects of a PDF of one page, of which the last one, number 6, is for its handler of encryption. */
export function listObjects(content: string, handler: string): string[] {
  return [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    buildStream(content),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    handler,
  ];
}

type Handler = { dictionary: string; key: Buffer };

const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const ownerPassword = Buffer.from('owner');
const permissions = -1340;
const uint32 = (value: number) => Buffer.from(Int32Array.of(value).buffer);
const toHex = (bytes: Buffer) => `<${bytes.toString('hex')}>`;

// Revisions 2 to 4: keys from MD5.
function describeOldHandler(encryption: Encryption, id: Buffer, options: EncryptionOptions): Handler {
  const { encryptsMetadata = true, userPassword = '' } = options;
  const padded = Buffer.concat([Buffer.from(userPassword), padding]).subarray(0, 32);
  const revision = Number(encryption.at(-1));
  const keyBytes = revision === 2 ? 5 : 16;
  const stretch = (bytes: Buffer) => {
    let digest = hash('md5', bytes);
    if (revision > 2) for (let round = 0; round < 50; round += 1) digest = hash('md5', digest.subarray(0, keyBytes));
    return digest.subarray(0, keyBytes);
  };
  const mask = (key: Buffer, bytes: Buffer) => {
    const rounds = revision > 2 ? 20 : 1;
    const keys = Array.from({ length: rounds }, (_, round) => key.map((byte) => byte ^ round));
    return keys.reduce((masked, each) => applyRc4(each, masked), bytes);
  };
  const owner = mask(stretch(Buffer.concat([ownerPassword, padding]).subarray(0, 32)), padded);
  const unprotected = revision >= 4 && !encryptsMetadata ? Buffer.alloc(4, 0xff) : Buffer.alloc(0);
  const key = stretch(Buffer.concat([padded, owner, uint32(permissions), id, unprotected]));
  const user = revision === 2 ? mask(key, padding) : mask(key, hash('md5', Buffer.concat([padding, id])));
  const filters = revision === 4 ? `/V 4${describeFilter(encryption, 16)}` : `/V ${revision - 1}`;
  const dictionary =
    `<</Filter/Standard${filters}/R ${revision}/Length ${keyBytes * 8}/P ${permissions}/O${toHex(owner)}` +
    `/U${toHex(Buffer.concat([user, Buffer.alloc(32 - user.length)]))}` +
    `${encryptsMetadata ? '' : '/EncryptMetadata false'}>>`;
  return { dictionary, key };
}

function describeFilter(encryption: Encryption, keyBytes: number): string {
  if (encryption.startsWith('none')) return '/CF<<>>/StmF/Identity/StrF/Identity';
  const method = encryption.startsWith('RC4') ? 'V2' : keyBytes === 32 ? 'AESV3' : 'AESV2';
  return `/CF<</StdCF<</CFM/${method}/AuthEvent/DocOpen/Length ${keyBytes}>>>>/StmF/StdCF/StrF/StdCF`;
}

// Revisions 5 and 6: a key of its own, kept under the hash of each password.
function describeNewHandler(encryption: Encryption, options: EncryptionOptions): Handler {
  const { encryptsMetadata = true, userPassword = '' } = options;
  const isLast = encryption.endsWith('R6');
  const key = hash('sha256', Buffer.from('key of the file'));
  const [validation, wrapping] = [Buffer.from('validate'), Buffer.from('wrapping')];
  const protect = (password: Buffer, user: Buffer) => {
    const digest = (salt: Buffer) =>
      isLast ? hashPassword(password, salt, user) : hash('sha256', Buffer.concat([password, salt, user]));
    const check = Buffer.concat([digest(validation), validation, wrapping]);
    return { check, wrapped: encryptBlocks('aes-256-cbc', digest(wrapping), Buffer.alloc(16), key) };
  };
  const user = protect(Buffer.from(userPassword), Buffer.alloc(0));
  const owner = protect(ownerPassword, user.check);
  const said = [uint32(permissions), Buffer.alloc(4, 0xff), Buffer.from(`${encryptsMetadata ? 'T' : 'F'}adbsalt`)];
  const perms = encryptBlocks('aes-256-ecb', key, null, Buffer.concat(said));
  const dictionary =
    `<</Filter/Standard/V 5/R ${encryption.at(-1)}/Length 256/P ${permissions}${describeFilter(encryption, 32)}` +
    `/O${toHex(owner.check)}/U${toHex(user.check)}/OE${toHex(owner.wrapped)}/UE${toHex(user.wrapped)}` +
    `/Perms${toHex(perms)}${encryptsMetadata ? '' : '/EncryptMetadata false'}>>`;
  return { dictionary, key };
}

// The hash of ISO 32000-2, 7.6.4.3.4.
function hashPassword(password: Buffer, salt: Buffer, user: Buffer): Buffer {
  let key = hash('sha256', Buffer.concat([password, salt, user]));
  for (let round = 0, last = 0; round < 64 || last > round - 32; round += 1) {
    const repeated = Buffer.concat(Array.from({ length: 64 }, () => Buffer.concat([password, key, user])));
    const mixed = encryptBlocks('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32), repeated);
    const remainder = mixed.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = hash(['sha256', 'sha384', 'sha512'][remainder] ?? '', mixed);
    last = mixed.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}

function encryptStream(encryption: Encryption, key: Buffer, bytes: Buffer): Buffer {
  if (encryption.startsWith('none')) return bytes;
  if (key.length === 32) return encryptAes('aes-256-cbc', key, bytes);
  const isAes = encryption.startsWith('AES');
  const number = Buffer.from([contentNumber, 0, 0, 0, 0]);
  const digest = hash('md5', Buffer.concat([key, number, Buffer.from(isAes ? 'sAlT' : '')]));
  const own = digest.subarray(0, Math.min(16, key.length + 5));
  return isAes ? encryptAes('aes-128-cbc', own, bytes) : applyRc4(own, bytes);
}

function encryptAes(cipher: string, key: Buffer, bytes: Buffer): Buffer {
  const start = Buffer.from('a start of blocks').subarray(0, 16);
  const encoder = createCipheriv(cipher, key, start);
  return Buffer.concat([start, encoder.update(bytes), encoder.final()]);
}

function encryptBlocks(cipher: string, key: Buffer, start: Buffer | null, bytes: Buffer): Buffer {
  const encoder = createCipheriv(cipher, key, start).setAutoPadding(false);
  return Buffer.concat([encoder.update(bytes), encoder.final()]);
}

const hash = (name: string, bytes: Uint8Array) => createHash(name).update(bytes).digest();

// Node's library has it no longer.
function applyRc4(key: Uint8Array, bytes: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (first: number, second: number) => {
    [state[first], state[second]] = [state[second] ?? 0, state[first] ?? 0];
  };
  for (let index = 0, other = 0; index < 256; index += 1) {
    other = (other + (state[index] ?? 0) + (key[index % key.length] ?? 0)) & 0xff;
    swap(index, other);
  }
  let [first, second] = [0, 0];
  return Buffer.from(
    bytes.map((byte) => {
      first = (first + 1) & 0xff;
      second = (second + (state[first] ?? 0)) & 0xff;
      swap(first, second);
      return byte ^ (state[((state[first] ?? 0) + (state[second] ?? 0)) & 0xff] ?? 0);
    }),
  );
}
