import { randomUUID } from 'node:crypto';
import { parseBlobKey } from '@attache/blob-store';
import {
  collectBlobRows,
  condemnUnusedBlobs,
  type DoomedBlob,
  findUnusedBlobs,
  listDoomedBlobs,
  markBlobsRemoved,
  type PassTimes,
} from '@attache/database';
import type { CollectDeps, CollectedBlobs } from './collected-blobs.ts';

// What one transaction touches, and what one pass does for one tenant at most: the next pass goes on.
const PAGE = 500;
const MAX_PAGES = 200;
const BATCH = 200;
const MAX_BATCHES = 100;
const DELETES_AT_ONCE = 8;

type TenantPass = CollectDeps & {
  tenantId: string;
  times: PassTimes;
  isDryRun: boolean;
  signal: AbortSignal | undefined;
};

/** One pass over one tenant; adds to `total` what it did. */
export async function collectTenant(pass: TenantPass, total: CollectedBlobs): Promise<void> {
  await condemnUnused(pass, total);
  await stepRows(pass, total);
  if (!pass.isDryRun) await removeDoomed(pass, total);
}

// From a random place around to it again, so that a tenant with more than one pass can look at is seen by and by.
async function condemnUnused(pass: TenantPass, total: CollectedBlobs): Promise<void> {
  const start = randomUUID();
  const arcs: { after?: string; until?: string }[] = [{ after: start }, { until: start }];
  for (let page = 0; page < MAX_PAGES && arcs[0] && !pass.signal?.aborted; page += 1) {
    const { tenantId, times } = pass;
    const { retryableSince, now } = times;
    const found = await findUnusedBlobs(pass.db, { tenantId, ...arcs[0], limit: PAGE, retryableSince });
    const { condemned, orphanVariants } =
      pass.isDryRun || found.unused.length === 0
        ? { condemned: found.unused.length, orphanVariants: found.orphanVariants }
        : await condemnUnusedBlobs(pass.db, { tenantId, blobIds: found.unused, now, retryableSince });
    total.condemned += condemned;
    total.orphanVariants += orphanVariants;
    if (found.isLastPage || found.last === null) arcs.shift();
    else arcs[0].after = found.last;
  }
}

async function stepRows(pass: TenantPass, total: CollectedBlobs): Promise<void> {
  const { db, tenantId, times, isDryRun } = pass;
  for (let batch = 0; batch < MAX_BATCHES && !pass.signal?.aborted; batch += 1) {
    const step = await collectBlobRows(db, { tenantId, ...times, limit: BATCH, isDryRun });
    total.condemned += step.condemned;
    total.revived += step.revived;
    total.confirmed += step.confirmed;
    if (isDryRun) {
      total.deleted += step.doomed;
      total.bytes += step.doomedBytes;
    }
    if (step.isDone || isDryRun) return;
  }
}

// Their rows say already that they are gone: what a crash leaves here, the next pass removes.
async function removeDoomed(pass: TenantPass, total: CollectedBlobs): Promise<void> {
  const { db, blobs, tenantId } = pass;
  for (let batch = 0; batch < MAX_BATCHES && !pass.signal?.aborted; batch += 1) {
    const doomed = await listDoomedBlobs(db, { tenantId, storeId: blobs.id, limit: BATCH });
    if (doomed.length === 0) return;
    await deleteBytes(pass, doomed);
    await markBlobsRemoved(
      db,
      tenantId,
      doomed.map(({ id }) => id),
    );
    total.deleted += doomed.length;
    total.bytes += doomed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
}

async function deleteBytes({ blobs }: TenantPass, doomed: readonly DoomedBlob[]): Promise<void> {
  const rest = [...doomed];
  const work = async () => {
    for (let blob = rest.pop(); blob; blob = rest.pop()) await blobs.delete(parseBlobKey(blob.key));
  };
  await Promise.all(Array.from({ length: DELETES_AT_ONCE }, work));
}
