import { type BlobStore, parseBlobKey } from '@attache/blob-store';
import type { EarlyBlob } from '@attache/database';
import { IN_MEMORY_BYTES, readInMemory } from './read-in-memory.ts';

/** The limit of all sessions together. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
/** Longer than a commit and its ring take. */
const KEPT_MS = 1_000;

/** Bytes of deliveries that are being committed. Nobody has compared their digests. */
export type EarlyBytes = {
  /** Begins to fetch the blobs of a delivery. What is too large, or finds no room, is fetched when it is needed. */
  begin(blobs: readonly EarlyBlob[]): void;
  /** Takes the bytes that were fetched under this key, once; undefined if none were. Resolves with undefined if the fetch failed. */
  take(key: string): Promise<Buffer | undefined> | undefined;
};

type Entry = { read: Promise<Buffer | undefined>; sizeBytes: number; timer: NodeJS.Timeout };

async function readOrNothing(
  blobs: Pick<BlobStore, 'get'>,
  { key, sizeBytes }: EarlyBlob,
): Promise<Buffer | undefined> {
  try {
    return await readInMemory(blobs, parseBlobKey(key), sizeBytes);
  } catch {
    return undefined;
  }
}

export function createEarlyBytes(
  blobs: Pick<BlobStore, 'get'>,
  { maxHeldBytes = MAX_HELD_BYTES, keptMs = KEPT_MS } = {},
): EarlyBytes {
  const entries = new Map<string, Entry>();
  let heldBytes = 0;
  const remove = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    if (!entry) return undefined;
    entries.delete(key);
    clearTimeout(entry.timer);
    heldBytes -= entry.sizeBytes;
    return entry;
  };
  const fetchOne = ({ key, sizeBytes }: EarlyBlob) => {
    if (entries.has(key) || heldBytes + sizeBytes > maxHeldBytes) return;
    heldBytes += sizeBytes;
    const read = readOrNothing(blobs, { key, sizeBytes });
    entries.set(key, { read, sizeBytes, timer: setTimeout(() => remove(key), keptMs).unref() });
  };
  return {
    begin(named) {
      if (named.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > IN_MEMORY_BYTES) return;
      for (const blob of named) fetchOne(blob);
    },
    take: (key) => remove(key)?.read,
  };
}
