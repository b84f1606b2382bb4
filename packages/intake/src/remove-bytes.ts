import { type BlobStore, parseBlobKey } from '@attache/blob-store';
import { type Database, markBlobsRemoved } from '@attache/database';

/**
 * Removes the bytes of a blob whose deletion is committed. Never rejects, and nobody waits for it: what it cannot do, and what a crash leaves, the
 * collection's next pass does.
 */
export async function removeBytes(
  { db, blobs }: { db: Database; blobs: BlobStore },
  tenantId: string,
  blob: { id: string; key: string },
): Promise<void> {
  try {
    await blobs.delete(parseBlobKey(blob.key));
    await markBlobsRemoved(db, tenantId, [blob.id]);
  } catch {
    // The row says that it is deleted and not that it was removed.
  }
}
