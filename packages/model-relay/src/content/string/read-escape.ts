import { BACKSLASH } from '../../json/json-bytes.ts';

/** The meaning of an escape, spelled as `JSON.stringify` would, and its length in bytes. */
export type ReadEscape = { readonly bytes: Buffer; readonly length: number } | 'cut' | 'malformed';

const LETTER_U = 0x75;
const SLASH = Buffer.from('/');
const short = new Uint8Array(256);
for (const letter of Buffer.from('"\\bfnrt')) short[letter] = 1;
const FOUR_DIGITS = /^[0-9A-Fa-f]{4}$/;

/** Whether JSON spells something with this byte behind a backslash, and never in another way. */
const isShortEscape = (byte: number): boolean => short[byte] === 1;

/** Reads the escape at the start of `bytes`. What is spelled by several escapes or by one that nobody needs comes back in the usual way. */
export function readEscape(bytes: Buffer): ReadEscape {
  const letter = bytes[1];
  if (letter === undefined) return 'cut';
  if (isShortEscape(letter)) return { bytes: bytes.subarray(0, 2), length: 2 };
  if (letter === SLASH[0]) return { bytes: SLASH, length: 2 };
  if (letter !== LETTER_U) return 'malformed';
  const unit = readUnit(bytes);
  if (typeof unit === 'string') return unit;
  const low = isHighSurrogate(unit) ? readLowSurrogate(bytes.subarray(6)) : undefined;
  if (low === 'cut') return 'cut';
  const text = low === undefined ? String.fromCharCode(unit) : String.fromCharCode(unit, low);
  return { bytes: Buffer.from(JSON.stringify(text).slice(1, -1)), length: low === undefined ? 6 : 12 };
}

function readUnit(bytes: Buffer): number | 'cut' | 'malformed' {
  const digits = bytes.toString('latin1', 2, 6);
  if (FOUR_DIGITS.test(digits)) return Number.parseInt(digits, 16);
  return digits.length < 4 && /^[0-9A-Fa-f]*$/.test(digits) ? 'cut' : 'malformed';
}

/** Undefined if none follows: then the half before it is alone. */
function readLowSurrogate(bytes: Buffer): number | 'cut' | undefined {
  const [first = BACKSLASH, second = LETTER_U] = bytes;
  if (first !== BACKSLASH || second !== LETTER_U) return undefined;
  const unit = bytes.length < 2 ? 'cut' : readUnit(bytes);
  if (unit === 'cut') return 'cut';
  return typeof unit === 'number' && unit >= 0xdc00 && unit <= 0xdfff ? unit : undefined;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
