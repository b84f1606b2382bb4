import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type BlobKey, createBlobKey } from '../src/blob-key.ts';
import type { BlobRange, BlobStore } from '../src/blob-store.ts';

export const newKey = (): BlobKey => createBlobKey(randomUUID(), randomBytes(16));

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A body in chunks of `chunkBytes`. */
export async function* bodyOf(content: string | Uint8Array, chunkBytes = 64 * 1024): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
}

/** A body that breaks with `error` after its content. */
export async function* brokenBody(content: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield* bodyOf(content);
  throw error;
}

export async function readAll(store: BlobStore, key: BlobKey, range?: BlobRange): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await store.get(key, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
