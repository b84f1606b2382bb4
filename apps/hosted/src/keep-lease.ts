import { randomUUID } from 'node:crypto';
import { type Database, renewLease, takeReplica } from '@attache/database';
import type { Logger } from '@attache/telemetry';

const LEASE_MS = 6_000;
const HEARTBEAT_MS = 2_000;

/** Says every two seconds that this process lives, so that others know when what it held is nobody's (W2). */
export async function keepLease(db: Database, log: Logger): Promise<{ incarnation: string; stop(): Promise<void> }> {
  const incarnation = randomUUID();
  const identity = { replicaId: `ingest-${incarnation}`, incarnation };
  const beat = () => renewLease(db, { ...identity, leaseMs: LEASE_MS, state: 'active' });
  await takeReplica(db, { ...identity, leaseMs: LEASE_MS });
  const timer = setInterval(() => {
    beat().catch((error) => log.warn({ err: error }, 'lease.not_renewed'));
  }, HEARTBEAT_MS);
  return {
    incarnation,
    async stop() {
      clearInterval(timer);
      await renewLease(db, { ...identity, leaseMs: 0, state: 'gone' }).catch(() => {});
    },
  };
}
