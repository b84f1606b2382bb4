import { type PassTimes, RESERVED_FOR_MS, RETRYABLE_FOR_MS, readDatabaseTime } from '@attache/database';
import { collectTenant } from './collect-tenant.ts';
import type { CollectDeps, CollectedBlobs } from './collected-blobs.ts';
import { forEachTenant } from './for-each-tenant.ts';

const HOUR_MS = 3_600_000;

export type CollectOptions = {
  /** Counts only, changes nothing. */
  isDryRun?: boolean | undefined;
  /** How long a blob stays condemned before a pass confirms it. */
  condemnedForMs?: number | undefined;
  /** Time from the pass that confirmed a blob to the one that may delete it. */
  betweenPassesMs?: number | undefined;
  /** The time of this pass; the database's own without it. */
  now?: Date | undefined;
  /** Ends the pass after the step that runs. */
  signal?: AbortSignal | undefined;
};

/**
 * One pass of the collection over all tenants. No blob is deleted by the first pass that finds it unused, nor while anything refers
 * to it; a reference that comes in between revives it (W12). What an earlier pass left half done is finished.
 */
export async function collectBlobs(deps: CollectDeps, options: CollectOptions = {}): Promise<CollectedBlobs> {
  const isDryRun = options.isDryRun ?? false;
  const times = timesOfPass(options.now ?? (await readDatabaseTime(deps.db)), options);
  const total: CollectedBlobs = { condemned: 0, revived: 0, confirmed: 0, deleted: 0, orphanVariants: 0, bytes: 0 };
  const { signal } = options;
  await forEachTenant({ ...deps, signal }, async (tenantId) => {
    await collectTenant({ ...deps, tenantId, times, isDryRun, signal }, total);
  });
  deps.log.info({ ...total, isDryRun }, 'blobs.collected');
  return total;
}

function timesOfPass(now: Date, options: CollectOptions): PassTimes {
  const before = (ageMs: number) => new Date(now.getTime() - ageMs).toISOString();
  return {
    now: now.toISOString(),
    reservedBefore: before(RESERVED_FOR_MS),
    condemnedBefore: before(options.condemnedForMs ?? 24 * HOUR_MS),
    confirmedBefore: before(options.betweenPassesMs ?? 4 * HOUR_MS),
    retryableSince: before(RETRYABLE_FOR_MS),
  };
}
