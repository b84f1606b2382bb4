import { setTimeout as pause } from 'node:timers/promises';
import { type Database, refreshStatistics } from '@attache/database';
import type { Logger } from '@attache/telemetry';

/** Has rows of growing tables counted for plans, until the signal. It warns once for as long as the database does not count. */
export async function keepStatistics(
  { db, log, periodMs }: { db: Pick<Database, 'call'>; log: Pick<Logger, 'warn'>; periodMs: number },
  signal: AbortSignal,
): Promise<void> {
  let hasWarned = false;
  while (!signal.aborted) {
    await pause(periodMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    try {
      await refreshStatistics(db);
      hasWarned = false;
    } catch (error) {
      if (!hasWarned) log.warn({ err: error, sweep: 'refresh-statistics' }, 'upkeep.sweep_failed');
      hasWarned = true;
    }
  }
}
