/** The beginning of a larger event is enough: some events repeat the whole request. */
const MAX_EVENT_BYTES = 16 * 1024;
const EVENT_END = /\r?\n\r?\n|\r\r/g;
const LONGEST_END_BYTES = 4;

/** Splits a stream into events. Holds no more than the beginning of one. */
export type EventHeads = {
  /**
   * The events that ended in this chunk, or grew longer than the limit, each once; of a longer one, its beginning. A caller that does not read all of them must
   * not read again.
   */
  take(chunk: Buffer): Iterable<string>;
};

export function createEventHeads(): EventHeads {
  let kept = Buffer.alloc(0);
  /** Whether its beginning was given already. */
  let isLong = false;

  return {
    *take(chunk) {
      const bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
      const head = (from: number, end: number) => bytes.toString('utf8', from, Math.min(end, from + MAX_EVENT_BYTES));
      let from = 0;
      for (const { index, 0: end } of bytes.toString('latin1').matchAll(EVENT_END)) {
        if (!isLong && index > from) yield head(from, index);
        from = index + end.length;
        isLong = false;
      }
      if (bytes.length - from > MAX_EVENT_BYTES && !isLong) {
        yield head(from, bytes.length);
        isLong = true;
      }
      // The memory of a chunk is not held for a few bytes of it.
      kept = Buffer.from(bytes.subarray(isLong ? Math.max(from, bytes.length - LONGEST_END_BYTES) : from));
    },
  };
}
