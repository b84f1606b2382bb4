import { base64Values, NO_VALUE } from './encoding/base64-values.ts';
import { signatures } from './file/media-signatures.ts';

/** The encodings in which a text of these two characters may be the head of media. */
export const BASE64_HEAD = 1;
export const HEX_HEAD = 2;
export const NUMBER_HEAD = 4;

const heads = new Uint8Array(128 * 128);

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const letterOf = (value: number): string[] => [
  alphabet.charAt(value) || (value === 62 ? '+' : '/'),
  '-_'[value - 62] ?? '',
];

function note(first: string, second: string, flag: number): void {
  if (first === '' || second === '') return;
  const index = first.charCodeAt(0) * 128 + second.charCodeAt(0);
  heads[index] = (heads[index] ?? 0) | flag;
}

function noteNumber(value: number): void {
  const [first = '', second] = String(value);
  for (const each of second === undefined ? ', \n\r\\' : second) note(first, each, NUMBER_HEAD);
}

for (const { start } of signatures) {
  const [first, second] = [start.charCodeAt(0), start.charCodeAt(1)];
  for (const one of letterOf(first >> 2)) {
    for (const two of letterOf(((first & 3) << 4) | (second >> 4))) note(one, two, BASE64_HEAD);
  }
  const hex = first.toString(16).padStart(2, '0');
  note(hex.charAt(0), hex.charAt(1), HEX_HEAD);
  note(hex.charAt(0).toUpperCase(), hex.charAt(1).toUpperCase(), HEX_HEAD);
  noteNumber(first);
  if (first > 127) noteNumber(first - 256);
}
// A byte may be spelled `0x89`.
for (const x of 'xX') note('0', x, HEX_HEAD);

/** The encodings in which media may begin with these two characters, as flags. */
export function headsOf(first: number, second: number): number {
  return first < 128 && second < 128 ? (heads[first * 128 + second] ?? 0) : 0;
}

const shortStarts = new Set<number>();
const starts = new Set<number>();
for (const { start } of signatures) {
  const [first, second, third] = [start.charCodeAt(0), start.charCodeAt(1), start.charCodeAt(2)];
  if (Number.isNaN(third)) shortStarts.add(first * 256 + second);
  else starts.add((first * 256 + second) * 256 + third);
}

/** Whether media may begin with these three bytes: few texts that look like its first character do. */
export function beginsLikeMedia(first: number, second: number, third: number): boolean {
  return shortStarts.has(first * 256 + second) || starts.has((first * 256 + second) * 256 + third);
}

/** The bytes of base64 that has no escapes, as many as are whole; undefined where it is none. */
export function decodeHead(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const value = base64Values[text.charCodeAt(at)] ?? NO_VALUE;
    if (value === NO_VALUE) return undefined;
    bits = ((bits << 6) | value) & 0xffffff;
    // Each character of a group of four, except the first, completes a byte.
    if (at % 4 > 0) bytes[length++] = bits >> (6 - 2 * (at % 4));
  }
  return bytes;
}
