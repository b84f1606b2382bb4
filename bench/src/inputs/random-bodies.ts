import { createHash, randomFillSync } from 'node:crypto';
import { Readable } from 'node:stream';

const CHUNK_BYTES = 1_000_000;

/** Bytes that are nowhere yet: a store that keeps equal bytes once would else be measured at something else. */
export function makeRandomBytes(sizeBytes: number): Uint8Array {
  return randomFillSync(new Uint8Array(sizeBytes));
}

/** Noise as a WAV: 8,000 samples of 16 bits a second. */
export function makeSound(sizeBytes: number): Uint8Array {
  const format = Buffer.from('57415645666d74201000000001000100401f0000803e00000200100064617461', 'hex');
  const samples = makeRandomBytes(sizeBytes - format.length - 12);
  const lengthOf = (bytes: number) => new Uint8Array(new Uint32Array([bytes]).buffer);
  const length = lengthOf(samples.length);
  return Buffer.concat([Buffer.from('RIFF'), lengthOf(sizeBytes - 8), format, length, samples]);
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A large body that never is in memory as a whole: one piece that differs from body to body, over and over. */
export function streamRandomBytes(sizeBytes: number): Readable {
  const chunk = makeRandomBytes(CHUNK_BYTES);
  return Readable.from(
    (function* chunks() {
      for (let sent = 0; sent < sizeBytes; sent += CHUNK_BYTES) {
        yield new Uint8Array(chunk.subarray(0, Math.min(CHUNK_BYTES, sizeBytes - sent)));
      }
    })(),
    { objectMode: true, highWaterMark: 1 },
  );
}
