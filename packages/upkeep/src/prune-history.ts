import { type Database, type PruneBatch, pruneAudit } from '@attache/database';
import type { Logger } from '@attache/telemetry';
import { forEachTenant } from './for-each-tenant.ts';
import { type PrunedBatch, pruneInBatches } from './prune-in-batches.ts';

/** Older entries are removed; kinds that are not named are kept for ever. A day is kept in any case. */
export type Retention = {
  auditMs?: number | undefined;
  /** Log and timelines of a session, counted from its end. */
  endedSessionsMs?: number | undefined;
};

/** Removes one batch in one transaction. `isDone`: there is no more. */
export type PruneOnce = (db: Database, batch: PruneBatch) => Promise<PrunedBatch>;

const BATCH_ROWS = 500;

/** Removes what is older, batch by batch and tenant by tenant; who is stopped or dies leaves the rest to the next time. Returns how many rows went. */
export async function pruneHistory(
  deps: { db: Database; log: Logger; signal: AbortSignal },
  olderThanMs: number,
  pruneOnce: PruneOnce,
): Promise<number> {
  const before = new Date(Date.now() - olderThanMs);
  let total = 0;
  await forEachTenant(deps, async (tenantId) => {
    total += await pruneInBatches(deps.signal, () => pruneOnce(deps.db, { tenantId, before, limit: BATCH_ROWS }));
  });
  return total;
}

export const pruneAuditOnce: PruneOnce = async (db, batch) => {
  const removed = await pruneAudit(db, batch);
  return { removed, isDone: removed < batch.limit };
};
