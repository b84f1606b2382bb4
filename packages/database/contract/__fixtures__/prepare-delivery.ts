import type { Database } from '../../src/database.ts';
import { findDelivery } from '../../src/delivery/delivery-reader.ts';
import { createDelivery, type Place } from './database-fixtures.ts';
import { takeFact } from './take-fact.ts';

/** Brings a queued delivery to `prepared`, without parts. */
export async function prepare(db: Database, { tenantId }: Place, deliveryId: string): Promise<void> {
  const row = await db.asTenant(tenantId, (tx) => findDelivery(tx, deliveryId));
  if (!row) throw new Error('the delivery is gone');
  await takeFact(db, row, { kind: 'parts-built', parts: [] });
}

/** A prepared delivery; answers its uuid. */
export async function createPrepared(db: Database, place: Place, attachmentIds: string[] = []): Promise<string> {
  const { deliveryId } = await createDelivery(db, place, attachmentIds);
  await prepare(db, place, deliveryId);
  return deliveryId;
}
