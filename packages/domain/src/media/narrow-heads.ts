import { base64Values, NO_VALUE } from './base64-values.ts';
import { hexValues, NO_DIGIT } from './hex-values.ts';
import { isBlank } from './read-character.ts';
import { BASE64_HEAD, beginsLikeMedia, HEX_HEAD, NUMBER_HEAD } from './spelled-heads.ts';

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const HEAD_BYTES = 3;

/**
 * Of these encodings those in which media may begin at `at`, by its first three bytes. It only spares work: what is escaped or not there yet may
 * be anything.
 */
export function narrowHeads(heads: number, text: string, at: number): number {
  let left = heads;
  if ((left & BASE64_HEAD) !== 0 && !mayBeBase64(text, at)) left &= ~BASE64_HEAD;
  if ((left & HEX_HEAD) !== 0 && !mayBeHex(text, at)) left &= ~HEX_HEAD;
  if ((left & NUMBER_HEAD) !== 0 && !(isInArray(text, at) && mayBeNumbers(text, at))) left &= ~NUMBER_HEAD;
  return left;
}

const isOpen = (code: number): boolean => code === BACKSLASH || code === PERCENT || Number.isNaN(code);

/** Four characters without a break: no line of base64 is shorter. */
function mayBeBase64(text: string, at: number): boolean {
  let bits = 0;
  for (let index = at; index < at + 4; index += 1) {
    const code = text.charCodeAt(index);
    const value = base64Values[code] ?? NO_VALUE;
    if (value === NO_VALUE) return isOpen(code);
    bits = bits * 64 + value;
  }
  return beginsLikeMedia(bits >> 16, (bits >> 8) & 0xff, bits & 0xff);
}

function mayBeHex(text: string, at: number): boolean {
  const bytes = [0, 0, 0];
  let index = at;
  for (let count = 0; count < HEAD_BYTES; count += 1) {
    index = skipSeparators(text, index);
    const high = text.charCodeAt(index);
    const low = text.charCodeAt(index + 1);
    const value = (hexValues[high] ?? NO_DIGIT) * 16 + (hexValues[low] ?? NO_DIGIT);
    if (isOpen(high) || isOpen(low)) return true;
    if (hexValues[high] === NO_DIGIT || hexValues[low] === NO_DIGIT) return false;
    bytes[count] = value;
    index += 2;
  }
  return beginsLikeMedia(bytes[0] ?? 0, bytes[1] ?? 0, bytes[2] ?? 0);
}

/** Over one mark with blanks around it, and `0x`. */
function skipSeparators(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at)) || ',:;-'.includes(text.charAt(at) || 'none')) at += 1;
  return text.charAt(at) === '0' && /x/i.test(text.charAt(at + 1)) ? at + 2 : at;
}

function mayBeNumbers(text: string, at: number): boolean {
  const part = text.slice(at, at + 32);
  const [all = '', ...numbers] = /^(-?\d{1,3})\s*,\s*(-?\d{1,3})\s*,\s*(-?\d{1,3})\s*,/.exec(part) ?? [];
  // A list with keys, with escapes, or one that is wide or not all there.
  if (all === '')
    return /^-?\d{1,3}(?:\s*$|\s*,\s*(?:["\\]|-?\d*\s*$|-?\d{1,3}\s*(?:\\|$|,\s*(?:\\|-?\d*\s*$))))/.test(part);
  const [first = 0, second = 0, third = 0] = numbers.map((number) => Number(number) & 0xff);
  return beginsLikeMedia(first, second, third);
}

/** Whether a list or a key may stand before: most numbers are in no array of bytes. */
function isInArray(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && isBlank(text.charCodeAt(before))) before -= 1;
  return '[({:nrt'.includes(text.charAt(before));
}
