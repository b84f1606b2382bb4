import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createBlobKey } from '@attache/blob-store';
import { reserveUpload, takeReplica } from '@attache/database';
import { createPlace, newReservation, type Place } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { endReservations } from './end-reservations.ts';
import { HOUR_MS, type UpkeepSuite } from './upkeep-suite.contract.ts';

/** Reservations of a process that is dead. */
export function describeEnding({ use }: UpkeepSuite): void {
  const readUsage = async ({ tenantId }: Place) => {
    const row = await use().db.asTenant(tenantId, (tx) => tx.query.tenant.findFirst());
    return { reserved: row?.reservedBytes, condemned: row?.condemnedBytes };
  };

  it('counts as what the store holds of it; what a living one reserved stays [S32 W3]', async () => {
    const { db, blobs } = use();
    const place = await createPlace(db);
    const living = { replicaId: randomUUID(), incarnation: randomUUID() };
    await takeReplica(db, { ...living, leaseMs: HOUR_MS });
    const reserve = async (holder: string) => {
      const key = createBlobKey(place.tenantId, randomBytes(16));
      await reserveUpload(db, newReservation(place, { key, holder, storeId: blobs.id }));
      return key;
    };
    const [written] = [await reserve(randomUUID()), await reserve(randomUUID()), await reserve(living.incarnation)];
    await blobs.put(written, Readable.from([randomBytes(30)]));
    await endReservations(use());
    // Not asked yet, it counts whole.
    expect(await readUsage(place)).toEqual({ reserved: 100, condemned: 200 });
    await endReservations(use(), { settledWithinMs: 0 });
    expect(await readUsage(place)).toEqual({ reserved: 100, condemned: 30 });
    expect(await endReservations(use(), { settledWithinMs: 0 })).toBe(0);
  });
}
