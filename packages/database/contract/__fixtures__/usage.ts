import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/database.ts';
import { renewLease, takeReplica } from '../../src/session/owner/session-owner-writer.ts';

const HOUR_MS = 3_600_000;

/** Bytes of a tenant. */
export type Usage = { used: number; reserved: number; condemned: number };

export async function readUsage(db: Database, { tenantId }: { tenantId: string }): Promise<Usage> {
  const row = await db.asTenant(tenantId, (tx) => tx.query.tenant.findFirst());
  return { used: row?.usedBytes ?? -1, reserved: row?.reservedBytes ?? -1, condemned: row?.condemnedBytes ?? -1 };
}

/** The same, added up from the blobs. */
export async function sumUsage(db: Database, { tenantId }: { tenantId: string }): Promise<Usage> {
  const blobs = await db.asTenant(tenantId, (tx) => tx.query.blob.findMany());
  const sum = (rows: typeof blobs) =>
    rows.reduce((total, { state, sizeBytes, reservedBytes }) => {
      return total + (state === 'reserved' ? reservedBytes : (sizeBytes ?? reservedBytes));
    }, 0);
  const isLeft = ({ state, deletedAt }: (typeof blobs)[number]) =>
    state === 'condemned' || (state === 'deleted' && deletedAt === null);
  return {
    used: sum(blobs.filter(({ state }) => state === 'live')),
    reserved: sum(blobs.filter(({ state }) => state === 'reserved')),
    condemned: sum(blobs.filter(isLeft)),
  };
}

/** One incarnation, alive until it is ended. */
export async function startHolder(db: Database): Promise<{ holder: string; end(): Promise<void> }> {
  const identity = { replicaId: randomUUID(), incarnation: randomUUID() };
  await takeReplica(db, { ...identity, leaseMs: HOUR_MS });
  return {
    holder: identity.incarnation,
    async end() {
      // Times are kept in whole milliseconds: one that is rounded up would still be to come.
      await renewLease(db, { ...identity, leaseMs: -1, state: 'gone' });
    },
  };
}
