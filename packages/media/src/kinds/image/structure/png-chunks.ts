import type { RandomAccess } from '../../../file/read-file.ts';

export type PngChunk = { type: string; contentAt: number; end: number };

/** Chunks of a PNG in order: length, type, content and checksum. The last one may end beyond the file. */
export function* readPngChunks(file: RandomAccess): Generator<PngChunk> {
  for (let offset = 8; file.byteAt(offset + 11) >= 0; ) {
    const head = file.bytesAt(offset, 8);
    const end = offset + 12 + head.readUInt32BE(0);
    yield { type: head.toString('latin1', 4), contentAt: offset + 8, end };
    offset = end;
  }
}
