import { createStringPlace, findEndOrEscape, type StringPlace } from '../../json/find-string-end.ts';
import { QUOTE } from '../../json/json-bytes.ts';
import { readEscape } from './read-escape.ts';

/** Two escapes of six bytes spell one character. */
const LONGEST_ESCAPE_BYTES = 12;
const LETTER_N = 0x6e;
const nothing = Buffer.alloc(0);

/** `held`: what of a string came with earlier chunks and is not read yet, which is the beginning of an escape. */
export type StringState = { held: Buffer; readonly place: StringPlace };

export type StringTaker = {
  /** Takes what comes next of the string, as `JSON.stringify` spells it; no piece ends amid an escape. It may be kept until `take` returns. */
  take(piece: Buffer, isLast: boolean): void;
  /** Called when a line feed comes next, followed by a line that may belong to a frame. */
  startLine?(): void;
};

export const createStringState = (): StringState => ({ held: nothing, place: createStringPlace() });

export const MALFORMED = -2;
export const CUT = -1;

/** Reads on in a string from `from`. Returns where to read on behind its closing quote, `CUT` where it does not end here, or `MALFORMED`. */
export function readString(state: StringState, chunk: Buffer, from: number, taker: StringTaker): number {
  let taken = state.held.length === 0 ? from : endHeld(state, chunk, from, taker);
  if (taken < 0) return taken;
  for (let at = taken; ; ) {
    const stop = findEndOrEscape(state.place, chunk, at, taker.startLine !== undefined);
    if (stop === -1) return endChunk(state, chunk, taken, taker);
    const letter = chunk[stop] ?? QUOTE;
    const isEnd = letter === QUOTE;
    const end = isEnd ? stop : stop - 1;
    taker.take(chunk.subarray(taken, end), isEnd);
    at = stop + 1;
    if (isEnd) return at;
    taken = end;
    if (letter === LETTER_N) taker.startLine?.();
    else {
      const read = takeEscape(state, chunk, end, taker);
      if (read < 0) return read;
      taken = read;
      at = read;
    }
  }
}

/** Takes what is left of a chunk, but for a backslash at its end. */
function endChunk(state: StringState, chunk: Buffer, from: number, taker: StringTaker): number {
  const { place } = state;
  const end = place.isEscaped ? chunk.length - 1 : chunk.length;
  place.isEscaped = false;
  taker.take(chunk.subarray(from, end), false);
  state.held = Buffer.from(chunk.subarray(end));
  return CUT;
}

/** Takes what a longer escape spells. Returns where to read on. */
function takeEscape(state: StringState, chunk: Buffer, from: number, taker: StringTaker): number {
  const read = readEscape(chunk.subarray(from, from + LONGEST_ESCAPE_BYTES));
  if (read === 'malformed') return MALFORMED;
  if (read === 'cut') {
    state.held = Buffer.from(chunk.subarray(from));
    return CUT;
  }
  taker.take(read.bytes, false);
  return from + read.length;
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
