import { type BlobStore, parseBlobKey } from '@attache/blob-store';
import { type Database, readAbandonedBlobs, settleAbandonedBlob } from '@attache/database';

/** Removes the bytes of uploads and variants whose process died before they were recorded (W3, W9). Answers how many. */
export async function sweepAbandonedBlobs(deps: { db: Database; blobs: BlobStore }, madeBefore: Date): Promise<number> {
  const abandoned = await readAbandonedBlobs(deps.db, madeBefore);
  for (const blob of abandoned) {
    await deps.blobs.delete(parseBlobKey(blob.key));
    await settleAbandonedBlob(deps.db, blob);
  }
  return abandoned.length;
}
