import { type Delivery, Fault, idFromUuid } from '@attache/contracts';
import {
  addToOutbox,
  appendEvents,
  type DeliveryRow,
  deliveryEventData,
  describeDelivery,
  findDelivery,
  moveDelivery,
  type NewEvent,
  type Tx,
} from '@attache/database';
import { logDeliveryMoved } from '@attache/telemetry';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { deliveryNotFound } from '../not-found.ts';

const unwrittenStatuses = ['queued', 'prepared', 'claimed'];

async function cancelUnwritten(tx: Tx, { actor }: Caller, row: DeliveryRow): Promise<NewEvent | undefined> {
  if (!unwrittenStatuses.includes(row.status)) return undefined;
  const move = { to: 'cancelled', service: 'ingest', actor, code: 'delivery_cancelled', onlyUnwritten: true } as const;
  if (!(await moveDelivery(tx, row, move))) return undefined;
  const { tenantId, sessionId, agentId } = row;
  await addToOutbox(tx, 'delivery.stopped', { tenantId, sessionId, deliveryId: row.id, agentId });
  return { kind: 'delivery.cancelled', actor, data: deliveryEventData(row) };
}

/** Ends a delivery of which no byte was written, and answers the event to append last; or asks its turn to end. */
export async function stopDelivery(tx: Tx, caller: Caller, row: DeliveryRow): Promise<NewEvent | undefined> {
  const cancelled = await cancelUnwritten(tx, caller, row);
  if (cancelled) return cancelled;
  const { tenantId, sessionId, id: deliveryId } = row;
  if (row.status !== 'cancelled') await addToOutbox(tx, 'delivery.interrupted', { tenantId, sessionId, deliveryId });
  return undefined;
}

export function logCancelled(deps: Pick<IngestDeps, 'log'>, deliveryId: string): void {
  const code = 'delivery_cancelled';
  logDeliveryMoved(deps.log, { deliveryId: idFromUuid('delivery', deliveryId), status: 'cancelled', code });
}

/** Cancels a delivery before its first byte is written; later it interrupts the turn, and the runtime says how that ended. */
export async function cancelDelivery(deps: IngestDeps, caller: Caller, deliveryId: string): Promise<Delivery> {
  const { tenantId } = caller;
  let isCancelled = false;
  const delivery = await deps.db.asTenant(tenantId, async (tx) => {
    const row = await findDelivery(tx, deliveryId);
    if (!row) throw deliveryNotFound();
    if (row.status === 'responded' || row.status === 'failed') {
      throw new Fault('ALREADY_WRITTEN', `The delivery has already ${row.status}; there is nothing left to cancel.`);
    }
    const cancelled = await stopDelivery(tx, caller, row);
    isCancelled = cancelled !== undefined;
    if (cancelled) await appendEvents(tx, row.sessionId, [cancelled]);
    return describeDelivery(tx, (await findDelivery(tx, deliveryId)) ?? row);
  });
  if (isCancelled) logCancelled(deps, deliveryId);
  return delivery;
}
