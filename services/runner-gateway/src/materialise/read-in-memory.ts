import type { BlobKey, BlobStore } from '@attache/blob-store';

/** The most bytes that the files of a delivery may hold together if it is brought without files in between. */
export const IN_MEMORY_BYTES = 2 * 1024 * 1024;

/** A blob that should have this size: one byte more is enough to know that it does not. */
export async function readInMemory(blobs: Pick<BlobStore, 'get'>, key: BlobKey, sizeBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let readBytes = 0;
  for await (const chunk of await blobs.get(key)) {
    chunks.push(chunk);
    readBytes += chunk.length;
    if (readBytes > sizeBytes) break;
  }
  return Buffer.concat(chunks);
}
