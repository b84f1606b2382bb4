import { BACKSLASH, QUOTE } from './json-bytes.ts';
import { lineHeads } from './line-heads.ts';
import { createStringSearch } from './search/string-search.ts';

/** The size of the pieces that a socket delivers. */
const WINDOW_BYTES = 65_536;

const NEAR_BYTES = 32;

/** How far a string was read. */
export type StringPlace = {
  /** Whether the last chunk ended with a backslash that escapes the next byte. */
  isEscaped: boolean;
  /** The chunk that was read last. */
  viewed: Buffer;
  /** The quote and the backslash in it that a search found last. */
  quote: number;
  backslash: number;
};

/** The signs that end a search, besides an unescaped quote. */
type Wanted = { readonly escapes: 0 | 1; readonly lines: 0 | -1 };

const onlyQuotes: Wanted = { escapes: 0, lines: 0 };
const longEscapes: Wanted = { escapes: 1, lines: 0 };
const longEscapesAndLines: Wanted = { escapes: 1, lines: -1 };

const { memory, search } = createStringSearch(WINDOW_BYTES, lineHeads);
/** The content of the memory: whose chunk, and from which byte on. */
const held: { place: StringPlace | undefined; chunk: Buffer | undefined; start: number } = {
  ...{ place: undefined, chunk: undefined, start: 0 },
};

export const createStringPlace = (): StringPlace => ({
  ...{ isEscaped: false, viewed: Buffer.alloc(0), quote: -1, backslash: -1 },
});

/** Finds the end of the string that `chunk` is inside of, from `from` on; -1 if it does not end there. */
export const findStringEnd = (place: StringPlace, chunk: Buffer, from: number): number =>
  find(place, chunk, from, onlyQuotes);

/**
 * The same, but stops earlier at an escaped byte that is none of `"\bfnrt`. With `areLinesWanted` also at an escaped `n` that is the last byte of
 * the chunk or is followed by a line head.
 */
export const findEndOrEscape = (place: StringPlace, chunk: Buffer, from: number, areLinesWanted: boolean): number =>
  find(place, chunk, from, areLinesWanted ? longEscapesAndLines : longEscapes);

function find(place: StringPlace, chunk: Buffer, from: number, wanted: Wanted): number {
  if (place.viewed !== chunk) {
    place.viewed = chunk;
    place.quote = -1;
    place.backslash = -1;
  }
  let at = place.isEscaped ? from : skipPlain(place, from);
  if (at === place.quote && !place.isEscaped) return at < chunk.length ? at : -1;
  while (at < chunk.length) {
    const start = at - (at % WINDOW_BYTES);
    const end = Math.min(start + WINDOW_BYTES, chunk.length);
    holdWindow(place, start, end);
    const found = search(at - start, end - start, place.isEscaped ? 1 : 0, wanted.escapes, wanted.lines);
    place.isEscaped = found === -2;
    if (found >= 0) return start + found;
    at = end;
  }
  return -1;
}

/** Finds the next quote or backslash. Most strings are short; for long ones with few such signs, the native search is the fastest. */
function skipPlain(place: StringPlace, from: number): number {
  const { viewed } = place;
  const near = Math.min(from + NEAR_BYTES, viewed.length);
  for (let at = from; at < near; at += 1) {
    const byte = viewed[at];
    if (byte === QUOTE) place.quote = at;
    if (byte === QUOTE || byte === BACKSLASH) return at;
  }
  if (place.quote < near) place.quote = orEnd(viewed, viewed.indexOf(QUOTE, near));
  if (place.backslash < near) place.backslash = orEnd(viewed, viewed.indexOf(BACKSLASH, near));
  return Math.min(place.quote, place.backslash);
}

/** Copies a part of the chunk to where it is searched. */
function holdWindow(place: StringPlace, start: number, end: number): void {
  const { viewed } = place;
  if (held.place === place && held.chunk === viewed && held.start === start) return;
  memory.set(viewed.subarray(start, end));
  // At the end of a chunk any byte may follow.
  memory[end - start] = viewed[end] ?? lineHeads[0] ?? 0;
  held.place = place;
  held.chunk = viewed;
  held.start = start;
}

const orEnd = (bytes: Buffer, found: number): number => (found === -1 ? bytes.length : found);
