import { type BlobStore, parseBlobKey } from '@attache/blob-store';
import { type Database, dropDeadIdempotencyKeys, readAbandonedBlobs, settleAbandonedBlob } from '@attache/database';
import type { Logger } from '@attache/telemetry';
import { forEachTenant } from './for-each-tenant.ts';

const BATCH = 500;

type SweepDeps = { db: Database; blobs: BlobStore; log: Logger };

/**
 * The sweep that only a process may do that knows to be alone, at its start: it removes the bytes of uploads and variants that were created before `madeBefore`
 * and never recorded (W3, W9), and frees the idempotency keys of requests that died. Returns how many blobs went.
 */
export async function sweepNow(deps: SweepDeps, madeBefore: Date): Promise<number> {
  let removed = 0;
  await forEachTenant(deps, async (tenantId) => {
    await freeKeys(deps.db, tenantId, madeBefore);
    removed += await removeAbandoned(deps, tenantId, madeBefore);
  });
  return removed;
}

async function freeKeys(db: Database, tenantId: string, openedBefore: Date): Promise<void> {
  let freed = BATCH;
  while (freed === BATCH) freed = await dropDeadIdempotencyKeys(db, tenantId, { openedBefore, limit: BATCH });
}

async function removeAbandoned({ db, blobs }: SweepDeps, tenantId: string, madeBefore: Date): Promise<number> {
  let removed = 0;
  let after: string | undefined;
  do {
    const page = await readAbandonedBlobs(db, tenantId, { madeBefore, after, limit: BATCH });
    for (const blob of page) {
      await blobs.delete(parseBlobKey(blob.key));
      await settleAbandonedBlob(db, blob);
    }
    removed += page.length;
    after = page.length < BATCH ? undefined : page.at(-1)?.id;
  } while (after !== undefined);
  return removed;
}
