import { BACKSLASH, QUOTE } from './json-bytes.ts';

// A search by the machine is the fastest where what is searched is rare. It has a price of its own: where escapes are dense, a look at eight
// bytes at a time is cheaper.

const BLOCK_BYTES = 64;
const STEP_BYTES = 8;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
/** Of the flags of eight bytes: that the byte behind them is escaped. */
const NEXT = 0x100;

/** Which bytes are escaped, by which of eight are backslashes and whether the first is escaped. */
const escapedBy = Uint16Array.from({ length: 2 * NEXT }, (_, flags) => {
  let escaped = flags >> STEP_BYTES;
  for (let bit = 0; bit < STEP_BYTES; bit += 1) escaped |= ((flags & ~escaped) >> bit) & 1 ? 2 << bit : 0;
  return escaped;
});

/** How far a string was read. */
export type StringPlace = {
  /** Whether the last chunk ended with a backslash that escapes the next byte. */
  isEscaped: boolean;
  /** The chunk that was read last, as numbers. */
  view: DataView;
  viewed: Buffer;
  /** The quote in it that a search found last. */
  quote: number;
};

const nothing = Buffer.alloc(0);

export const createStringPlace = (): StringPlace => ({
  isEscaped: false,
  view: viewOf(nothing),
  viewed: nothing,
  quote: -1,
});

/** Where the string ends that `chunk` is inside of from `from` on; -1 where it does not. */
export const findStringEnd = (place: StringPlace, chunk: Buffer, from: number): number => find(place, chunk, from, 0);

/** The same, but stops earlier at an escaped byte that is neither a quote nor a backslash. */
export const findEndOrEscaped = (place: StringPlace, chunk: Buffer, from: number): number =>
  find(place, chunk, from, NEXT - 1);

/** `wanted`: flags of the escaped bytes at which it stops. */
function find(place: StringPlace, chunk: Buffer, from: number, wanted: number): number {
  if (place.viewed !== chunk) Object.assign(place, { view: viewOf(chunk), viewed: chunk, quote: -1 });
  const { view } = place;
  let escaped = place.isEscaped ? NEXT : 0;
  let at = from;
  for (let end = at + BLOCK_BYTES; end <= chunk.length; end = at + BLOCK_BYTES) {
    let seen = 0;
    for (; at < end; at += STEP_BYTES) {
      const low = view.getInt32(at, true);
      const high = view.getInt32(at + 4, true);
      const backslashes = flagZeros(low ^ BACKSLASHES) | (flagZeros(high ^ BACKSLASHES) << 4);
      const quotes = flagZeros(low ^ QUOTES) | (flagZeros(high ^ QUOTES) << 4);
      escaped = escapedBy[(escaped & NEXT) | backslashes] ?? 0;
      const found = (quotes & ~escaped) | (escaped & wanted & ~(quotes | backslashes));
      if (found !== 0) {
        place.isEscaped = false;
        return at + 31 - Math.clz32(found & -found);
      }
      seen |= backslashes;
    }
    if (seen === 0) at = skipPlain(place, at, wanted !== 0);
  }
  place.isEscaped = (escaped & NEXT) !== 0;
  return findInRest(place, at, wanted !== 0);
}

/** Flags the bytes of a number that are zero: bit 0 is the first one's. */
function flagZeros(bytes: number): number {
  const zeros = ~(((bytes & 0x7f7f7f7f) + 0x7f7f7f7f) | bytes | 0x7f7f7f7f);
  return Math.imul(zeros >>> 7, 0x10204080) >>> 28;
}

/** Searches for the next backslash or, where escaped bytes are not wanted, for those directly before the next quote. */
function skipPlain(place: StringPlace, from: number, isEscapedWanted: boolean): number {
  const { viewed } = place;
  if (place.quote < from) place.quote = orEnd(viewed, viewed.indexOf(QUOTE, from));
  const { quote } = place;
  if (isEscapedWanted) {
    const plain = viewed.subarray(from, quote);
    return from + orEnd(plain, plain.indexOf(BACKSLASH));
  }
  let at = quote;
  while (at > from && viewed[at - 1] === BACKSLASH) at -= 1;
  return at;
}

/** Looks at the last bytes of a chunk. */
function findInRest(place: StringPlace, from: number, isEscapedWanted: boolean): number {
  const { viewed } = place;
  for (let at = from; at < viewed.length; at += 1) {
    const byte = viewed[at];
    const { isEscaped } = place;
    place.isEscaped = !isEscaped && byte === BACKSLASH;
    if (isEscaped ? isEscapedWanted && byte !== QUOTE && byte !== BACKSLASH : byte === QUOTE) return at;
  }
  return -1;
}

const viewOf = (chunk: Buffer): DataView => new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
const orEnd = (bytes: Buffer, found: number): number => (found === -1 ? bytes.length : found);
