import type { Utf32 } from './utf32.ts';

type WideEncoding = 'utf-16le' | 'utf-16be' | Utf32;

/**
 * Guesses the UTF-16 or UTF-32 of a file without a mark from its beginning: by the places of its zero bytes, otherwise by the characters that it would have.
 */
export function guessWideEncoding(head: Uint8Array): WideEncoding | undefined {
  const units = guessByUnits(head);
  if (units !== undefined || isListOfAscii(head)) return units;
  return guessByZeros(head) ?? guessByCharacters(head);
}

// Zeros may end the names of a list. As UTF-16, plain letters would be every other byte, and Chinese has bytes beyond ASCII.
function isListOfAscii(head: Uint8Array): boolean {
  let zeros = 0;
  for (const byte of head) {
    if (byte === 0) zeros += 1;
    else if (byte >= 0x7f || byte < 0x09) return false;
  }
  return zeros < head.length * 0.4;
}

// In nearly all of a UTF-32 text, two of four bytes are zero and the other two form a common character. An array of small numbers has no common characters.
function guessByUnits(head: Uint8Array): Utf32 | undefined {
  if (head.length < 8) return undefined;
  const rare = countRare(head, 4);
  if (rare === undefined) return undefined;
  return rare.little <= rare.most ? 'utf-32le' : 'utf-32be';
}

// Text in UTF-16 has zero bytes in one half of each unit only: in Latin script nearly all, in others those of blanks and digits.
function guessByZeros(head: Uint8Array): WideEncoding | undefined {
  let even = 0;
  let odd = 0;
  for (let index = head.indexOf(0); index !== -1; index = head.indexOf(0, index + 1)) {
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  // In UTF-16, blanks and line ends are everywhere. Behind a text in another encoding, zeros are in one part alone.
  if (!isEverywhere(head)) return undefined;
  const least = head.length / 20;
  if (odd >= least && even * 50 <= odd) return 'utf-16le';
  if (even >= least && odd * 50 <= even) return 'utf-16be';
  return undefined;
}

function isEverywhere(head: Uint8Array): boolean {
  const quarter = head.length >> 2;
  if (quarter < leastQuarterBytes) return true;
  const first = head.subarray(0, quarter).includes(0);
  const last = head.subarray(head.length - quarter).includes(0);
  return first && last;
}

const leastQuarterBytes = 128;

// Chinese, Japanese and Korean have few blanks. The other order of bytes makes rare characters of them, noise of half.
function guessByCharacters(head: Uint8Array): WideEncoding | undefined {
  const rare = countRare(head, 2);
  if (rare === undefined) return undefined;
  return rare.little < rare.big ? 'utf-16le' : 'utf-16be';
}

/** How many units are rare characters in either order of bytes, and how many may be. Undefined as soon as it is too many in both. */
function countRare(head: Uint8Array, unitBytes: 2 | 4): { little: number; big: number; most: number } | undefined {
  const units = Math.floor(Math.min(head.length, decisiveBytes) / unitBytes);
  const view = new DataView(head.buffer, head.byteOffset, units * unitBytes);
  const most = units - units * leastShare;
  let little = 0;
  let big = 0;
  for (let offset = 0; offset < units * unitBytes; offset += unitBytes) {
    if (!isCommon(unitBytes === 2 ? view.getUint16(offset, true) : view.getUint32(offset, true))) little += 1;
    if (!isCommon(unitBytes === 2 ? view.getUint16(offset) : view.getUint32(offset))) big += 1;
    if (little > most && big > most) return undefined;
  }
  return { little, big, most };
}

const leastShare = 0.9;
// More would say the same, and cost a binary file some milliseconds.
const decisiveBytes = 4096;

// Plain ASCII, punctuation, kana, the common ideographs, Hangul, halves of rarer characters, full-width forms.
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

// Asked of each unit of each file.
const commonUnits = new Uint8Array(0x1_00_00);
for (const [first, last] of commonRanges) commonUnits.fill(1, first, last + 1);

// A read beyond the end of an array of bytes is slow.
const isCommon = (unit: number): boolean => unit < commonUnits.length && commonUnits[unit] === 1;
