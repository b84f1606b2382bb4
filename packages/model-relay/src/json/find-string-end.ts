import { lineHeads } from '../content/text/line-heads.ts';
import { BACKSLASH, QUOTE } from './json-bytes.ts';
import { createStringSearch } from './search/string-search.ts';

/** As much as a socket hands over at once. */
const WINDOW_BYTES = 65_536;

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

/** What a search stops at beside a quote that is not escaped. */
type Wanted = { readonly escapes: 0 | 1; readonly lines: 0 | -1 };

const onlyQuotes: Wanted = { escapes: 0, lines: 0 };
const longEscapes: Wanted = { escapes: 1, lines: 0 };
const longEscapesAndLines: Wanted = { escapes: 1, lines: -1 };

const { memory, search } = createStringSearch(WINDOW_BYTES, lineHeads);
/** What the memory holds: whose chunk, and from where on. */
const held: { place: StringPlace | undefined; chunk: Buffer | undefined; start: number } = {
  ...{ place: undefined, chunk: undefined, start: 0 },
};

export const createStringPlace = (): StringPlace => ({
  ...{ isEscaped: false, viewed: Buffer.alloc(0), quote: -1, backslash: -1 },
});

/** Where the string ends that `chunk` is inside of from `from` on; -1 where it does not. */
export const findStringEnd = (place: StringPlace, chunk: Buffer, from: number): number =>
  find(place, chunk, from, onlyQuotes);

/**
 * The same, but stops earlier at an escaped byte that is none of `"\bfnrt`. With `areLinesWanted` also at an escaped `n` that is the last byte of
 * the chunk or is followed by a line head.
 */
export const findEndOrEscape = (place: StringPlace, chunk: Buffer, from: number, areLinesWanted: boolean): number =>
  find(place, chunk, from, areLinesWanted ? longEscapesAndLines : longEscapes);

function find(place: StringPlace, chunk: Buffer, from: number, wanted: Wanted): number {
  if (place.viewed !== chunk) Object.assign(place, { viewed: chunk, quote: -1, backslash: -1 });
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

/** Where the next quote or backslash is. What the machine searches by itself is the fastest where there are few of them. */
function skipPlain(place: StringPlace, from: number): number {
  const { viewed } = place;
  if (place.quote < from) place.quote = orEnd(viewed, viewed.indexOf(QUOTE, from));
  if (place.backslash < from) place.backslash = orEnd(viewed, viewed.indexOf(BACKSLASH, from));
  return Math.min(place.quote, place.backslash);
}

/** Copies a part of the chunk to where it is searched. */
function holdWindow(place: StringPlace, start: number, end: number): void {
  const { viewed } = place;
  if (held.place === place && held.chunk === viewed && held.start === start) return;
  memory.set(viewed.subarray(start, end));
  // At the end of a chunk any byte may follow.
  memory[end - start] = viewed[end] ?? lineHeads[0] ?? 0;
  Object.assign(held, { place, chunk: viewed, start });
}

const orEnd = (bytes: Buffer, found: number): number => (found === -1 ? bytes.length : found);
