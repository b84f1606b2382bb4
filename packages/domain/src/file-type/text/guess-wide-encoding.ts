import type { Utf32 } from './utf32.ts';

type WideEncoding = 'utf-16le' | 'utf-16be' | Utf32;

/** Which UTF-16 or UTF-32 the beginning of a file without a mark may be: by where its zero bytes stand, else by the characters it would have. */
export function guessWideEncoding(head: Uint8Array): WideEncoding | undefined {
  return guessByUnits(head) ?? guessByZeros(head) ?? guessByCharacters(head);
}

// Of four bytes two are zero in nearly all of a text in UTF-32, and what is left is common: an array of small numbers is not.
function guessByUnits(head: Uint8Array): Utf32 | undefined {
  const end = Math.min(head.length - (head.length % 4), decisiveBytes);
  if (end < 8) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, end);
  let little = 0;
  let big = 0;
  for (let offset = 0; offset < end; offset += 4) {
    if (isCommon(view.getUint32(offset, true))) little += 4;
    if (isCommon(view.getUint32(offset))) big += 4;
  }
  if (little >= end * leastShare) return 'utf-32le';
  return big >= end * leastShare ? 'utf-32be' : undefined;
}

// Text in UTF-16 has zero bytes in one half of each unit only: in Latin script nearly all, in others those of blanks and digits.
function guessByZeros(head: Uint8Array): WideEncoding | undefined {
  let even = 0;
  let odd = 0;
  for (let index = 0; index < head.length; index += 1) {
    if (head[index] !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  const least = head.length / 20;
  if (odd >= least && even * 50 <= odd) return 'utf-16le';
  if (even >= least && odd * 50 <= even) return 'utf-16be';
  return undefined;
}

// Chinese, Japanese and Korean have few blanks. The other order of bytes makes rare characters of them, noise of half.
function guessByCharacters(head: Uint8Array): WideEncoding | undefined {
  const units = Math.floor(Math.min(head.length, decisiveBytes) / 2);
  const view = new DataView(head.buffer, head.byteOffset, units * 2);
  let little = 0;
  let big = 0;
  for (let offset = 0; offset < units * 2; offset += 2) {
    if (isCommon(view.getUint16(offset, true))) little += 1;
    if (isCommon(view.getUint16(offset))) big += 1;
  }
  if (Math.max(little, big) < units * leastShare) return undefined;
  return little > big ? 'utf-16le' : 'utf-16be';
}

const leastShare = 0.9;
// More would say the same, and cost a binary file some milliseconds.
const decisiveBytes = 4096;

// In their order. Plain ASCII, punctuation, kana, the common ideographs, Hangul, halves of rarer characters, full-width forms.
const commonRanges: [number, number][] = [
  [0x09, 0x0a],
  [0x0d, 0x0d],
  [0x20, 0x7e],
  [0x2010, 0x2026],
  [0x3000, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xdfff],
  [0xff00, 0xffee],
];

function isCommon(unit: number): boolean {
  // Asked of each unit: the first range that does not lie below it decides.
  for (const range of commonRanges) if (unit <= range[1]) return unit >= range[0];
  return false;
}
