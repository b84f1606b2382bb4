import { randomUUID } from 'node:crypto';
import { parseBlobKey } from '@attache/blob-store';
import {
  collectBlobRows,
  condemnUnusedBlobs,
  type DoomedBlob,
  findCollectableBlobs,
  findUnusedBlobs,
  listDoomedBlobs,
  markBlobsRemoved,
  type PassTimes,
} from '@attache/database';
import type { CollectDeps, CollectedBlobs } from './collected-blobs.ts';

// Limits of one transaction, and of one pass for one tenant: the next pass continues.
const PAGE = 500;
const MAX_PAGES = 200;
const BATCH = 200;
const MAX_STEPS = 500;
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

type Stretch = { after?: string; until?: string };

// From a random place around to it again, so that a tenant with more than one pass can look at is seen by and by.
async function walkAround(
  { signal }: TenantPass,
  most: number,
  lookAt: (stretch: Stretch) => Promise<{ last: string | null; isLastPage: boolean }>,
): Promise<void> {
  const start = randomUUID();
  const stretches: Stretch[] = [{ after: start }, { until: start }];
  for (let page = 0; page < most && stretches[0] && !signal?.aborted; page += 1) {
    const { last, isLastPage } = await lookAt(stretches[0]);
    if (isLastPage || last === null) stretches.shift();
    else stretches[0].after = last;
  }
}

async function condemnUnused(pass: TenantPass, total: CollectedBlobs): Promise<void> {
  const { db, tenantId, isDryRun } = pass;
  const { retryableSince, now } = pass.times;
  await walkAround(pass, MAX_PAGES, async (stretch) => {
    const found = await findUnusedBlobs(db, { tenantId, ...stretch, limit: PAGE, retryableSince });
    const { condemned, orphanVariants } =
      isDryRun || found.unused.length === 0
        ? { condemned: found.unused.length, orphanVariants: found.orphanVariants }
        : await condemnUnusedBlobs(db, { tenantId, blobIds: found.unused, now, retryableSince });
    total.condemned += condemned;
    total.orphanVariants += orphanVariants;
    return found;
  });
}

async function stepRows(pass: TenantPass, total: CollectedBlobs): Promise<void> {
  const { db, tenantId, times, isDryRun } = pass;
  await walkAround(pass, MAX_STEPS, async (stretch) => {
    const found = await findCollectableBlobs(db, { tenantId, ...times, ...stretch, limit: BATCH });
    if (found.due.length > 0) {
      const step = await collectBlobRows(db, { tenantId, ...times, blobIds: found.due, isDryRun });
      total.condemned += step.condemned;
      total.revived += step.revived;
      total.confirmed += step.confirmed;
      if (isDryRun) {
        total.deleted += step.doomed;
        total.bytes += step.doomedBytes;
      }
    }
    return found;
  });
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
