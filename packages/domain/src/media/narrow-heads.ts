import { base64Values, NO_VALUE } from './encoding/base64-values.ts';
import { hexValues, NO_DIGIT } from './encoding/hex-values.ts';
import { codeOf, isBlank, lengthOf, MORE, readCharacter } from './encoding/read-character.ts';
import { sniffMedia } from './file/sniff-media.ts';
import { BASE64_HEAD, HEX_HEAD, NUMBER_HEAD } from './spelled-heads.ts';

const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
/** The bytes by which nearly every format is recognised. */
const HEAD_BYTES = 12;
/** Characters that a head may be spelled in, with what is between them. */
const MAX_LENGTH = 256;
const SEPARATORS = ',:;-';

/** The bytes of the head that is read: used within one call only, so that most of what looks like a head costs no memory. */
const head = new Uint8Array(HEAD_BYTES);

/** Narrows these encodings to those in which media may begin at `at`, by its first bytes. It only saves work: bytes that have not arrived may be anything. */
export function narrowHeads(heads: number, text: string, at: number): number {
  let left = heads;
  if ((left & BASE64_HEAD) !== 0 && !mayBeMedia(readBase64Head(text, at))) left &= ~BASE64_HEAD;
  if ((left & HEX_HEAD) !== 0 && !mayBeHex(text, at)) left &= ~HEX_HEAD;
  if ((left & NUMBER_HEAD) !== 0 && !(isInArray(text, at) && mayBeNumbers(text, at))) left &= ~NUMBER_HEAD;
  return left;
}

/** `MORE` where the text ends before so many bytes are there. */
function mayBeMedia(bytes: number): boolean {
  if (bytes === MORE) return true;
  return bytes > 0 && sniffMedia(head.subarray(0, bytes), false).status !== 'unknown';
}

/** Decodes what is at `at` over gaps and escapes; how many bytes, none where it ends before. Its first four characters are in one line. */
function readBase64Head(text: string, from: number): number {
  const limit = Math.min(text.length, from + MAX_LENGTH);
  let [at, bits, units, bytes] = [from, 0, 0, 0];
  while (bytes < HEAD_BYTES && at < limit) {
    let value = base64Values[text.charCodeAt(at)] ?? NO_VALUE;
    let length = 1;
    if (value === NO_VALUE) {
      const character = readCharacter(text, at, false);
      if (character === MORE) return MORE;
      const isGap = isBlank(codeOf(character));
      value = base64Values[codeOf(character)] ?? NO_VALUE;
      length = lengthOf(character);
      if (value === NO_VALUE && (!isGap || units < 4)) return 0;
    }
    at += length;
    if (value === NO_VALUE) continue;
    bits = ((bits << 6) | value) & 0xffffff;
    // Each character of a group of four, except the first, completes a byte.
    if (units % 4 > 0) head[bytes++] = bits >> (6 - 2 * (units % 4));
    units += 1;
  }
  return bytes < HEAD_BYTES ? MORE : bytes;
}

function mayBeHex(text: string, from: number): boolean {
  const limit = Math.min(text.length, from + MAX_LENGTH);
  let at = from;
  for (let bytes = 0; bytes < HEAD_BYTES; bytes += 1) {
    at = skipSeparators(text, at, limit);
    if (at + 1 >= limit) return true;
    const high = hexValues[text.charCodeAt(at)] ?? NO_DIGIT;
    const low = hexValues[text.charCodeAt(at + 1)] ?? NO_DIGIT;
    if ((high | low) >= NO_DIGIT) return text.charCodeAt(at) === BACKSLASH && isBreak(text, at, limit);
    head[bytes] = high * 16 + low;
    at += 2;
  }
  return mayBeMedia(HEAD_BYTES);
}

/** An escaped line break. */
function isBreak(text: string, at: number, limit: number): boolean {
  const end = skipBackslashes(text, at, limit);
  return end >= limit || /[nrtu]/i.test(text.charAt(end));
}

function skipBackslashes(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && text.charCodeAt(at) === BACKSLASH) at += 1;
  return at;
}

/** Over marks and blanks, and `0x` or `\x`. */
function skipSeparators(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && (isBlank(text.charCodeAt(at)) || SEPARATORS.includes(text.charAt(at)))) at += 1;
  if (at < limit && text.charCodeAt(at) === BACKSLASH) {
    const end = skipBackslashes(text, at, limit);
    return text.charAt(end) === 'x' ? end + 1 : at;
  }
  return text.charAt(at) === '0' && /x/i.test(text.charAt(at + 1)) ? at + 2 : at;
}

function mayBeNumbers(text: string, from: number): boolean {
  const limit = Math.min(text.length, from + MAX_LENGTH);
  let at = from;
  for (let bytes = 0; bytes < HEAD_BYTES; bytes += 1) {
    const isNegative = text.charCodeAt(at) === MINUS;
    const first = isNegative ? at + 1 : at;
    let value = 0;
    for (at = first; at < limit && isDigit(text.charCodeAt(at)); at += 1)
      value = value * 10 + text.charCodeAt(at) - ZERO;
    if (at >= limit) return true;
    if (at === first || value > 255) return false;
    head[bytes] = (isNegative ? -value : value) & 0xff;
    while (at < limit && (isBlank(text.charCodeAt(at)) || text.charCodeAt(at) === COMMA)) at += 1;
    if (at >= limit) return true;
    // A key, or an escaped line break.
    if (text.charAt(at) === '"' || text.charCodeAt(at) === BACKSLASH) return mayBeMedia(bytes + 1);
  }
  return mayBeMedia(HEAD_BYTES);
}

const isDigit = (code: number): boolean => code >= ZERO && code <= ZERO + 9;

/** Whether a list or a key may come before: most numbers are in no array of bytes. */
function isInArray(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && isBlank(text.charCodeAt(before)) && at - before < MAX_LENGTH) before -= 1;
  return before >= 0 && '[({:nrt'.includes(text.charAt(before));
}
