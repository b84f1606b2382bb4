import { BACKSLASH, QUOTE } from '../../body/json-bytes.ts';
import { isShortEscape, readEscape } from './read-escape.ts';

/** A search has a price of its own: where escapes are dense, a look at each byte is cheaper. */
const NEAR_BYTES = 64;
/** Two escapes of six bytes spell one character. */
const LONGEST_ESCAPE_BYTES = 12;
const LETTER_N = 0x6e;
const nothing = Buffer.alloc(0);

/** What of a string came with earlier chunks and is not read yet: the beginning of an escape. */
export type StringState = { held: Buffer };

export type StringTaker = {
  /** Takes what comes next of the string, as `JSON.stringify` spells it; no piece ends amid an escape. It may be kept until `take` returns. */
  take(piece: Buffer, isLast: boolean): void;
  /** What comes next is a line feed, and a line that begins with one of these bytes. */
  readonly lineHeads?: Uint8Array | undefined;
  startLine?(): void;
};

export const createStringState = (): StringState => ({ held: nothing });

export const MALFORMED = -2;
export const CUT = -1;

/** Reads on in a string from `from`. Returns where it goes on behind its closing quote, `CUT` where it does not end here, or `MALFORMED`. */
export function readString(state: StringState, chunk: Buffer, from: number, taker: StringTaker): number {
  let at = state.held.length === 0 ? from : endHeld(state, chunk, from, taker);
  if (at < 0) return at;
  let taken = at;
  let quote = -1;
  while (at < chunk.length) {
    const near = Math.min(at + NEAR_BYTES, chunk.length);
    while (at < near && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at += 1;
    if (at === near) {
      if (quote < at) quote = findFrom(chunk, QUOTE, at);
      at += findFrom(chunk.subarray(at, quote), BACKSLASH, 0);
      if (at === chunk.length) break;
    }
    if (chunk[at] === QUOTE) {
      taker.take(chunk.subarray(taken, at), true);
      return at + 1;
    }
    const letter = chunk[at + 1] ?? 0;
    if (isShortEscape(letter)) {
      if (letter === LETTER_N && isLine(taker, chunk[at + 2])) {
        taker.take(chunk.subarray(taken, at), false);
        taken = at;
        taker.startLine?.();
      }
      at += 2;
    } else {
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

/** What lies in the next chunk may be anything. */
const isLine = ({ lineHeads }: StringTaker, byte: number | undefined): boolean =>
  lineHeads !== undefined && (byte === undefined || lineHeads[byte] === 1);

function findFrom(bytes: Buffer, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found === -1 ? bytes.length : found;
}
