import { type Delivery, Fault, idFromUuid } from '@attache/contracts';
import {
  addToOutbox,
  appendEvents,
  applyInTransaction,
  type DeliveryRow,
  describeDelivery,
  findDelivery,
  type NewEvent,
  stateOf,
  type Tx,
} from '@attache/database';
import { askToInterrupt, decideDelivery } from '@attache/domain';
import { logDeliveryMoved } from '@attache/telemetry';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { deliveryNotFound } from '../not-found.ts';

/** Ends a delivery of which no byte was written, and answers the events to append last; or asks its turn to end. */
export async function stopDelivery(tx: Tx, { actor }: Caller, row: DeliveryRow): Promise<readonly NewEvent[]> {
  const state = stateOf(row);
  const cancelled = decideDelivery(state, { kind: 'cancelled', actor });
  if ('move' in cancelled && (await applyInTransaction(tx, cancelled))) return cancelled.events;
  for (const { subject, data } of askToInterrupt(state)) await addToOutbox(tx, subject, data);
  return [];
}

export function logCancelled(deps: Pick<IngestDeps, 'log'>, deliveryId: string): void {
  const code = 'delivery_cancelled';
  logDeliveryMoved(deps.log, { deliveryId: idFromUuid('delivery', deliveryId), status: 'cancelled', code });
}

/** Cancels a delivery before its first byte is written; later it interrupts the turn, and the runtime says how that ended. */
export async function cancelDelivery(
  deps: Pick<IngestDeps, 'db' | 'log'>,
  caller: Caller,
  deliveryId: string,
): Promise<Delivery> {
  const { tenantId } = caller;
  let isCancelled = false;
  const delivery = await deps.db.asTenant(tenantId, async (tx) => {
    const row = await findDelivery(tx, deliveryId);
    if (!row) throw deliveryNotFound();
    if (row.status === 'responded' || row.status === 'failed') {
      throw new Fault('ALREADY_WRITTEN', `The delivery has already ${row.status}; there is nothing left to cancel.`);
    }
    const cancelled = await stopDelivery(tx, caller, row);
    isCancelled = cancelled.length > 0;
    if (isCancelled) await appendEvents(tx, row.sessionId, cancelled);
    return describeDelivery(tx, (await findDelivery(tx, deliveryId)) ?? row);
  });
  if (isCancelled) logCancelled(deps, deliveryId);
  return delivery;
}
