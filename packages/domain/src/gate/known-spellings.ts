/** The most recent spellings, each at the place of its hash, packed into words of 32 bits. */
export type KnownSpellings = { codes: Uint8Array; words: Int32Array };

const PLACE_COUNT = 4_096;
const WORDS = 6;
const LETTERS_PER_WORD = 4;
const CASE_BIT = 0x20;
// In the last word, so that no spelling packs to the zeros of a place that is still empty.
const IS_TAKEN = 1 << 20;

/** `codes` has room for the six bits of each character of an id in the text. */
export function createKnownSpellings(textLength: number): KnownSpellings {
  return { codes: new Uint8Array(textLength), words: new Int32Array(PLACE_COUNT * WORDS) };
}

/**
 * Whether the 26 characters whose prefix ends at `at` are spelled like those that took this place last; they have it from now on. To cut
 * each out of its text and look it up costs several times as much.
 */
export function isKnownSpelling({ codes, words }: KnownSpellings, text: string, at: number): boolean {
  const first = pack(codes, at + 1);
  const second = pack(codes, at + 1 + LETTERS_PER_WORD);
  const third = pack(codes, at + 1 + 2 * LETTERS_PER_WORD);
  const fourth = pack(codes, at + 1 + 3 * LETTERS_PER_WORD);
  const fifth = pack(codes, at + 1 + 4 * LETTERS_PER_WORD);
  const rest = ((codes[at + 21] ?? 0) << 9) | ((codes[at + 22] ?? 0) << 3) | IS_TAKEN | packCase(text, at);
  let hash = Math.imul(first, 0x9e3779b1) ^ second;
  hash = Math.imul(hash, 0x85ebca6b) ^ third;
  hash = Math.imul(hash, 0xc2b2ae35) ^ fourth;
  hash = Math.imul(hash, 0x27d4eb2f) ^ fifth;
  hash = Math.imul(hash, 0x165667b1) ^ rest;
  hash = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1);
  const place = ((hash ^ (hash >>> 13)) & (PLACE_COUNT - 1)) * WORDS;
  const isSame =
    words[place] === first &&
    words[place + 1] === second &&
    words[place + 2] === third &&
    words[place + 3] === fourth &&
    words[place + 4] === fifth &&
    words[place + 5] === rest;
  if (isSame) return true;
  words[place] = first;
  words[place + 1] = second;
  words[place + 2] = third;
  words[place + 3] = fourth;
  words[place + 4] = fifth;
  words[place + 5] = rest;
  return false;
}

function pack(codes: Uint8Array, from: number): number {
  return (
    ((codes[from] ?? 0) << 18) | ((codes[from + 1] ?? 0) << 12) | ((codes[from + 2] ?? 0) << 6) | (codes[from + 3] ?? 0)
  );
}

/** The letter case of the prefix: another case is another spelling. */
function packCase(text: string, at: number): number {
  const a = text.charCodeAt(at - 3) & CASE_BIT;
  const t = text.charCodeAt(at - 2) & CASE_BIT;
  const last = text.charCodeAt(at - 1) & CASE_BIT;
  return (a >> 3) | (t >> 4) | (last >> 5);
}
