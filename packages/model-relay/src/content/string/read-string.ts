import { BACKSLASH, QUOTE } from '../../json/json-bytes.ts';
import { isShortEscape, readEscape } from './read-escape.ts';

/** A search has a price of its own: where escapes are dense, a look at each byte is cheaper. */
const NEAR_BYTES = 64;
/** Two escapes of six bytes spell one character. */
const LONGEST_ESCAPE_BYTES = 12;
const LETTER_N = 0x6e;
const nothing = Buffer.alloc(0);

/** What of a string came with earlier chunks and is not read yet: the beginning of an escape. */
export type StringState = { held: Buffer; view: DataView; viewed: Buffer };

export type StringTaker = {
  /** Takes what comes next of the string, as `JSON.stringify` spells it; no piece ends amid an escape. It may be kept until `take` returns. */
  take(piece: Buffer, isLast: boolean): void;
  /** What comes next is a line feed, and a line that begins with one of these bytes. */
  readonly lineHeads?: Uint8Array | undefined;
  startLine?(): void;
};

export const createStringState = (): StringState => ({
  held: nothing,
  viewed: nothing,
  view: new DataView(nothing.buffer, nothing.byteOffset, 0),
});

export const MALFORMED = -2;
export const CUT = -1;

/** Reads on in a string from `from`. Returns where it goes on behind its closing quote, `CUT` where it does not end here, or `MALFORMED`. */
export function readString(state: StringState, chunk: Buffer, from: number, taker: StringTaker): number {
  let at = state.held.length === 0 ? from : endHeld(state, chunk, from, taker);
  if (at < 0) return at;
  let taken = at;
  let near = at + NEAR_BYTES;
  const view = viewOf(state, chunk);
  let quote = -1;
  while (at < chunk.length) {
    const byte = chunk[at];
    if (byte === QUOTE) {
      taker.take(chunk.subarray(taken, at), true);
      return at + 1;
    }
    if (byte !== BACKSLASH) {
      at = skipWords(view, at + 1, near);
      if (at < near) continue;
      if (quote < at) quote = findFrom(chunk, QUOTE, at);
      at += findFrom(chunk.subarray(at, quote), BACKSLASH, 0);
      near = at + NEAR_BYTES;
      continue;
    }
    near = at + NEAR_BYTES;
    const letter = chunk[at + 1] ?? 0;
    if (letter === LETTER_N && isLine(taker, chunk[at + 2])) {
      taker.take(chunk.subarray(taken, at), false);
      taken = at;
      taker.startLine?.();
    }
    if (isShortEscape(letter)) at += 2;
    else {
      taker.take(chunk.subarray(taken, at), false);
      const read = readEscape(chunk.subarray(at, at + LONGEST_ESCAPE_BYTES));
      if (read === 'malformed') return MALFORMED;
      if (read === 'cut') {
        state.held = Buffer.from(chunk.subarray(at));
        return CUT;
      }
      taker.take(read.bytes, false);
      at += read.length;
      taken = at;
    }
  }
  taker.take(chunk.subarray(taken), false);
  return CUT;
}

/** Reads the escape that the chunk before began, and one whose beginning was read with it. */
function endHeld(state: StringState, chunk: Buffer, from: number, taker: StringTaker): number {
  let at = from;
  while (state.held.length > 0) {
    const { held } = state;
    const joined = Buffer.concat([held, chunk.subarray(at, at + LONGEST_ESCAPE_BYTES)]);
    const read = readEscape(joined);
    if (read === 'malformed') return MALFORMED;
    if (read === 'cut') {
      state.held = joined;
      return CUT;
    }
    if (joined[1] === LETTER_N) taker.startLine?.();
    taker.take(read.bytes, false);
    state.held = held.subarray(read.length);
    at += Math.max(0, read.length - held.length);
  }
  return at;
}

function viewOf(state: StringState, chunk: Buffer): DataView {
  if (state.viewed !== chunk) {
    state.viewed = chunk;
    state.view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  }
  return state.view;
}

/** Skips four bytes at a time while none of them is a quote or a backslash. */
function skipWords(view: DataView, from: number, to: number): number {
  const last = Math.min(to, view.byteLength - 3);
  let at = from;
  while (at < last) {
    const word = view.getInt32(at, true);
    const quotes = word ^ 0x22222222;
    const slashes = word ^ 0x5c5c5c5c;
    // A byte that is zero lends from the one above it.
    const found = (((quotes - 0x01010101) & ~quotes) | ((slashes - 0x01010101) & ~slashes)) & 0x80808080;
    if (found !== 0) return at + ((31 - Math.clz32(found & -found)) >> 3);
    at += 4;
  }
  return at;
}

/** What lies in the next chunk may be anything. */
const isLine = ({ lineHeads }: StringTaker, byte: number | undefined): boolean =>
  lineHeads !== undefined && (byte === undefined || lineHeads[byte] === 1);

function findFrom(bytes: Buffer, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found === -1 ? bytes.length : found;
}
