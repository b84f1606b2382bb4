import type { Subject } from '@attache/contracts';
import { type Database, reconcileOutbox } from '@attache/database';
import type { Logger } from '@attache/telemetry';
import type { JetstreamLink } from '../link.ts';

export type Reconciler = { stop(): Promise<void> };

/**
 * Emits again what the broker acknowledged and no consumer settled in time: it may have lost it (W7). After an outage the consumers get
 * as long before anything counts as lost.
 */
export function startReconciler(options: {
  db: Database;
  link: JetstreamLink;
  subjects: readonly Subject[];
  afterMs: number;
  onLost: () => void;
  log: Logger;
}): Reconciler {
  const { db, link, subjects, afterMs, onLost, log } = options;
  let connectedAt = performance.now();
  let running: Promise<void> | undefined;

  const reconcile = async () => {
    try {
      const count = await reconcileOutbox(db, { subjects, afterMs });
      if (count === 0) return;
      log.warn({ count }, 'bus.emitted_anew');
      onLost();
    } catch (error) {
      log.warn({ err: error }, 'bus.reconcile_failed');
    }
  };
  const timer = setInterval(() => {
    const isSettled = link.isConnected() && performance.now() - connectedAt >= afterMs;
    if (!isSettled || running) return;
    running = reconcile().finally(() => {
      running = undefined;
    });
  }, afterMs / 4);
  const forget = link.onReconnected(() => {
    connectedAt = performance.now();
  });
  return {
    async stop() {
      clearInterval(timer);
      forget();
      await running;
    },
  };
}
