import { setTimeout as pause } from 'node:timers/promises';
import { claimSweep, dropExpiredIdempotencyKeys, pruneOutbox, pruneSessions, recordSweep } from '@attache/database';
import { collectBlobs } from './collect-blobs.ts';
import type { CollectDeps } from './collected-blobs.ts';
import { endReservations } from './end-reservations.ts';
import { forEachTenant } from './for-each-tenant.ts';
import { keepStatistics } from './keep-statistics.ts';
import { type PruneOnce, pruneAuditOnce, pruneHistory, type Retention } from './prune-history.ts';
import { pruneInBatches } from './prune-in-batches.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KEEP_MESSAGES_MS = 24 * HOUR_MS;
const ABANDONED_MULTIPART_MS = 24 * HOUR_MS;
// The rows that one transaction removes.
const BATCH_ROWS = 1_000;
const FIRST_DELAY_MS = 30_000;
// A new installation may get hundreds of messages a second, and its server counts rows once a minute.
const STATISTICS_PERIOD_MS = 2_000;

export type UpkeepDeps = CollectDeps & {
  /** Aborts the multipart uploads of the store that are older; answers how many. */
  sweepMultiparts?: ((olderThanMs: number) => Promise<number>) | undefined;
  /** How long history is kept; for ever by default. */
  retention?: Retention | undefined;
  /** How often this process looks whether a sweep is due. */
  periodMs: number;
};

export type Upkeep = {
  /** Starts no further sweep and waits until the running one has ended its step. */
  stop(): Promise<void>;
};

/** `run` answers how many things it found. */
type Sweep = { name: string; everyMs: number; run(signal: AbortSignal): Promise<number> };

function listSweeps(deps: UpkeepDeps): Sweep[] {
  const { db, sweepMultiparts } = deps;
  const sweeps: Sweep[] = [
    {
      name: 'prune-messages',
      everyMs: 10 * MINUTE_MS,
      run: (signal) =>
        pruneInBatches(signal, () => pruneOutbox(db, { olderThanMs: KEEP_MESSAGES_MS, limit: BATCH_ROWS })),
    },
    {
      name: 'expire-idempotency-keys',
      everyMs: 10 * MINUTE_MS,
      async run(signal) {
        let dropped = 0;
        await forEachTenant({ ...deps, signal }, async (tenantId) => {
          dropped += await pruneInBatches(signal, async () => {
            const removed = await dropExpiredIdempotencyKeys(db, tenantId, BATCH_ROWS);
            return { removed, isDone: removed < BATCH_ROWS };
          });
        });
        return dropped;
      },
    },
    {
      name: 'tidy-database',
      everyMs: HOUR_MS,
      async run() {
        await db.tidy();
        return 0;
      },
    },
    { name: 'end-reservations', everyMs: MINUTE_MS, run: (signal) => endReservations(deps, { signal }) },
    {
      name: 'collect-blobs',
      everyMs: HOUR_MS,
      run: async (signal) => (await collectBlobs(deps, { signal })).deleted,
    },
  ];
  if (sweepMultiparts) {
    sweeps.push({ name: 'abort-multiparts', everyMs: HOUR_MS, run: () => sweepMultiparts(ABANDONED_MULTIPART_MS) });
  }
  return [...sweeps, ...listPruning(deps)];
}

function listPruning(deps: UpkeepDeps): Sweep[] {
  const { auditMs, endedSessionsMs } = deps.retention ?? {};
  const prune = (name: string, olderThanMs: number | undefined, pruneBatch: PruneOnce): Sweep[] => {
    if (olderThanMs === undefined) return [];
    return [{ name, everyMs: HOUR_MS, run: (signal) => pruneHistory({ ...deps, signal }, olderThanMs, pruneBatch) }];
  };
  return [
    ...prune('prune-audit', auditMs, pruneAuditOnce),
    ...prune('prune-ended-sessions', endedSessionsMs, pruneSessions),
  ];
}

/**
 * Keeps database and blob store tidy, next to the service: prunes messages that were settled, drops expired idempotency keys, ends reservations of dead
 * processes, tidies a database that does not do so itself, collects blobs, aborts multipart uploads, prunes history if it has a retention, and has rows of
 * growing tables counted for plans. However many processes run it, each sweep is done by one of them at a time.
 */
export function startUpkeep(deps: UpkeepDeps): Upkeep {
  const sweeps = listSweeps(deps);
  const stopping = new AbortController();
  const { signal } = stopping;

  const runDue = async ({ name, everyMs, run }: Sweep) => {
    try {
      if (signal.aborted || !(await claimSweep(deps.db, name, everyMs))) return;
      await recordSweep(deps.db, name, await run(signal));
    } catch (error) {
      // Tried again when it is due again; by then the server may answer.
      deps.log.warn({ err: error, sweep: name }, 'upkeep.sweep_failed');
    }
  };
  const loop = async () => {
    let delayMs = Math.min(FIRST_DELAY_MS, deps.periodMs);
    while (!signal.aborted) {
      await pause(delayMs, undefined, { signal, ref: false }).catch(() => {});
      for (const sweep of sweeps) await runDue(sweep);
      delayMs = deps.periodMs;
    }
  };
  const running = Promise.all([loop(), keepStatistics({ ...deps, periodMs: STATISTICS_PERIOD_MS }, signal)]);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
