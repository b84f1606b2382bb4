import type { SessionEvent } from '@attache/contracts';
import { connectPglite } from '../../src/connect-pglite.ts';
import type { Database, Doorbell } from '../../src/database.ts';
import { type DeliveryRow, findDelivery } from '../../src/delivery/delivery-reader.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import { copyPgliteFolder } from '../pglite-folder.contract.ts';
import type { Place } from './database-fixtures.ts';

/** The embedded database as the specs of use cases share it. */
export type SpecDatabase = {
  db: Database;
  /** The subjects of the messages that were published since the last call, by all who use the database. */
  takePublished(): string[];
  readEvents(place: Pick<Place, 'tenantId' | 'sessionId'>): Promise<SessionEvent[]>;
  readRow(place: Pick<Place, 'tenantId'>, deliveryId: string): Promise<DeliveryRow>;
};

/** Opens one in `parent`, which outlives it. */
export async function openSpecDatabase(
  parent: string,
  onCommitted: (rungNames: ReadonlySet<Doorbell>) => void = () => undefined,
): Promise<SpecDatabase> {
  const rung: Doorbell[] = [];
  const db = await connectPglite({
    folder: await copyPgliteFolder(parent),
    onCommitted(rungNames) {
      rung.push(...rungNames);
      onCommitted(rungNames);
    },
  });
  return {
    db,
    takePublished: () =>
      rung.splice(0).flatMap((doorbell) => (doorbell.startsWith('outbox:') ? [doorbell.slice('outbox:'.length)] : [])),
    readEvents: ({ tenantId, sessionId }) => readEvents(db, { tenantId, sessionId, afterSeq: 0, limit: 100 }),
    async readRow({ tenantId }, deliveryId) {
      const row = await db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId));
      if (!row) throw new Error('the delivery is gone');
      return row;
    },
  };
}
