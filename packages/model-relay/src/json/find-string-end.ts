import { BACKSLASH, QUOTE } from './json-bytes.ts';

/** A search has a price of its own: where escapes are dense, a look at each byte is cheaper. */
const NEAR_BYTES = 64;

/** Where the string ends that `chunk` is inside of from `from` on; -1 where it does not. `isEscaped` says what of the last chunk still matters. */
export function findStringEnd(scan: { isEscaped: boolean }, chunk: Buffer, from: number): number {
  let at = scan.isEscaped ? from + 1 : from;
  scan.isEscaped = false;
  while (at < chunk.length) {
    const near = Math.min(at + NEAR_BYTES, chunk.length);
    while (at < near && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at += 1;
    if (at < near) {
      if (chunk[at] === QUOTE) return at;
      at += 2;
    } else {
      const quote = chunk.indexOf(QUOTE, at);
      const end = quote === -1 ? chunk.length : quote;
      const isEscaped = countBackslashes(chunk, at, end) % 2 === 1;
      if (!isEscaped) return quote;
      at = end + 1;
    }
  }
  scan.isEscaped = at > chunk.length;
  return -1;
}

/** How many stand directly before `end`. */
function countBackslashes(chunk: Buffer, from: number, end: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === BACKSLASH) at -= 1;
  return end - at;
}
