import { BACKSLASH, QUOTE } from '../../json/json-bytes.ts';

const MAX_SHORT_BYTES = 40;

/** The string behind the quote at `at`, where it ends soon and needs no escape. */
export function findShortWord(chunk: Buffer, at: number): string | undefined {
  const last = Math.min(at + MAX_SHORT_BYTES, chunk.length);
  for (let end = at + 1; end < last; end += 1) {
    const byte = chunk[end] ?? 0;
    if (byte === QUOTE) return chunk.toString('latin1', at + 1, end);
    if (byte === BACKSLASH) return undefined;
  }
  return undefined;
}
