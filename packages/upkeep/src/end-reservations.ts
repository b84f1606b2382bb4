import { BlobNotFoundError, type BlobStore, parseBlobKey } from '@attache/blob-store';
import {
  endDeadReservations,
  listTenantsWithEndedReservations,
  listUnmeasuredBlobs,
  recordLeftBytes,
} from '@attache/database';
import type { CollectDeps } from './collected-blobs.ts';

// A process that gives its reservation back removes the bytes in less time.
const SETTLED_WITHIN_MS = 60_000;
const BATCH = 200;

export type EndOptions = {
  /** How long an ended reservation is left to the process that ended it. */
  settledWithinMs?: number | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * Ends reservations whose process is dead, and counts those that ended as what the store holds of them: as a rule nothing. Returns how
 * many were ended or counted.
 */
export async function endReservations(
  deps: CollectDeps,
  { settledWithinMs, signal }: EndOptions = {},
): Promise<number> {
  const { db, blobs } = deps;
  const agoMs = settledWithinMs ?? SETTLED_WITHIN_MS;
  let found = 0;
  for (const tenantId of await listTenantsWithEndedReservations(db)) {
    if (signal?.aborted) break;
    for (let ended = 1; ended > 0 && !signal?.aborted; found += ended) ended = await endDeadReservations(db, tenantId);
    const left = await listUnmeasuredBlobs(db, { tenantId, storeId: blobs.id, agoMs, limit: BATCH });
    for (const blob of left) await recordLeftBytes(db, { ...blob, sizeBytes: await measure(blobs, blob.key) });
    found += left.length;
  }
  return found;
}

async function measure(blobs: BlobStore, key: string): Promise<number> {
  try {
    return (await blobs.head(parseBlobKey(key))).sizeBytes;
  } catch (error) {
    if (error instanceof BlobNotFoundError) return 0;
    throw error;
  }
}
