import { createHash } from 'node:crypto';
import { tooLarge } from './intake-fault.ts';

/** The result of one pass over a file's bytes. */
export type Measurement = { sizeBytes: number; sha256: string; head: Uint8Array };

export type MeasuredStream = {
  /** The bytes of the source, once. */
  stream: AsyncIterable<Uint8Array>;
  /** Size, hex digest and first bytes. Only after the stream has ended. */
  result(): Measurement;
};

type MeasureOptions = {
  maxBytes: number;
  headBytes?: number | undefined;
  /** Sees each chunk as it passes, and keeps none. */
  onBytes?: ((chunk: Uint8Array) => void) | undefined;
};

// Enough for every magic number, and for the blanks and comments before a mark-up's first tag.
const HEAD_BYTES = 4100;

/** Measures a file while it passes. The stream throws Fault `PAYLOAD_TOO_LARGE` before the first chunk beyond `maxBytes`. */
export function createMeasuredStream(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, headBytes = HEAD_BYTES, onBytes }: MeasureOptions,
): MeasuredStream {
  const hash = createHash('sha256');
  const head = new Uint8Array(headBytes);
  let sizeBytes = 0;
  let sha256: string | undefined;

  async function* measure(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (sizeBytes + chunk.byteLength > maxBytes) throw tooLarge(maxBytes);
      // Copied, because a kept slice would keep the whole buffer it was cut from.
      if (sizeBytes < headBytes) head.set(chunk.subarray(0, headBytes - sizeBytes), sizeBytes);
      sizeBytes += chunk.byteLength;
      hash.update(chunk);
      onBytes?.(chunk);
      yield chunk;
    }
    sha256 = hash.digest('hex');
  }

  return {
    stream: measure(),
    result() {
      if (sha256 === undefined) throw new Error('The stream has not ended.');
      return { sizeBytes, sha256, head: head.subarray(0, sizeBytes) };
    },
  };
}
