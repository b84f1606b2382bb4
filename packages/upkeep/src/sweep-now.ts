import { type BlobStore, parseBlobKey } from '@attache/blob-store';
import { type Database, dropDeadIdempotencyKeys, readAbandonedBlobs, settleAbandonedBlob } from '@attache/database';
import type { Logger } from '@attache/telemetry';
import { forEachTenant } from './for-each-tenant.ts';

/**
 * What only a process may do that knows to be alone, at its start: removes the bytes of uploads and variants that were made before
 * `madeBefore` and never recorded (W3, W9), and frees the idempotency keys of requests that died. Answers how many blobs went.
 */
export async function sweepNow(
  deps: { db: Database; blobs: BlobStore; log: Logger },
  madeBefore: Date,
): Promise<number> {
  await forEachTenant(deps, (tenantId) => dropDeadIdempotencyKeys(deps.db, tenantId));
  const abandoned = await readAbandonedBlobs(deps.db, madeBefore);
  for (const blob of abandoned) {
    await deps.blobs.delete(parseBlobKey(blob.key));
    await settleAbandonedBlob(deps.db, blob);
  }
  return abandoned.length;
}
