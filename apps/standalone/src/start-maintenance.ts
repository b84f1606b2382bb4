import { type Database, dropExpiredIdempotencyKeys, pruneOutbox } from '@attache/database';

const PERIOD_MS = 10 * 60_000;
const KEEP_MESSAGES_MS = 24 * 3_600_000;

/** Removes what has served: settled messages after a day, expired idempotency keys. Answers how to stop. */
export function startMaintenance(db: Database, tenantId: string): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const maintain = async () => {
    await pruneOutbox(db, KEEP_MESSAGES_MS);
    await dropExpiredIdempotencyKeys(db, tenantId);
  };
  const timer = setInterval(() => {
    // What failed now is tried again at the next round.
    running = maintain().catch(() => {});
  }, PERIOD_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
