import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/** The bytes from `start` to before `end`, in buffers of their own. Throws if the file ends before. */
export async function* readStretch(
  file: FileHandle,
  start: number,
  end: number,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const wanted = Math.min(chunkBytes, end - at);
    const chunk = Buffer.allocUnsafeSlow(wanted);
    let filled = 0;
    while (filled < wanted) {
      const { bytesRead } = await file.read(chunk, filled, wanted - filled, at + filled);
      if (bytesRead === 0) throw new Error('the file became shorter while it was read');
      filled += bytesRead;
    }
    at += wanted;
    yield chunk;
  }
}

/** The end of the last whole line within so many bytes. */
export async function findEndOfLines(file: FileHandle, sizeBytes: number): Promise<number> {
  for (let end = sizeBytes; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES);
    for await (const chunk of readStretch(file, start, end)) {
      const last = chunk.lastIndexOf(LINE_FEED);
      if (last >= 0) return start + last + 1;
    }
    end = start;
  }
  return 0;
}
