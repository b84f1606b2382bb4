import {
  type Actor,
  type DeliveryPlan,
  type DeliveryStatus,
  type EventData,
  type Failure,
  type FailureCode,
  idFromUuid,
  type Part,
  type Receipt,
} from '@attache/contracts';
import { type Held, isAllowedTransition } from '@attache/domain';
import { currentTraceId } from '@attache/telemetry';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { delivery, deliveryTransition } from '../schema.ts';
import type { DeliveryRow } from './delivery-reader.ts';
import type { LeftBefore } from './delivery-table.ts';

export type ServiceName = 'ingest' | 'projector' | 'runner-gateway';

export type Move = {
  to: DeliveryStatus;
  /** The service that moves it; the table in `domain` says which moves it may make. */
  service: ServiceName;
  /** Whom the timeline names; the service itself by default. */
  actor?: Actor | undefined;
  epoch?: number | undefined;
  code?: FailureCode | undefined;
  /** Only if no byte was written yet. */
  onlyUnwritten?: boolean | undefined;
  set?:
    | Partial<{
        plan: DeliveryPlan;
        targetVersion: number;
        parts: Part[] | null;
        failure: Failure | null;
        receipt: Receipt;
        attempts: number;
        writingAt: Date | null;
        held: Held | null;
        leftBefore: LeftBefore | null;
        epoch: number;
      }>
    | undefined;
};

function assertAllowed(row: DeliveryRow, move: Move): void {
  if (isAllowedTransition({ from: row.status, to: move.to, actor: move.service })) return;
  throw new Error(`${move.service} may not move a delivery from ${row.status} to ${move.to}`);
}

async function insertTransition(tx: Tx, row: DeliveryRow, move: Move): Promise<void> {
  await tx.insert(deliveryTransition).values({
    tenantId: row.tenantId,
    deliveryId: row.id,
    position: sql`(select coalesce(max(position), 0) + 1 from delivery_transition where tenant_id = ${row.tenantId} and delivery_id = ${row.id})`,
    status: move.to,
    actor: move.actor ?? { type: 'service', id: move.service },
    epoch: move.epoch ?? null,
    attempt: move.set?.attempts ?? row.attempts,
    traceId: currentTraceId(),
    code: move.code ?? null,
  });
}

/** Moves a delivery from the status in `row`, with its timeline row. False: someone moved it first. */
export async function moveDelivery(tx: Tx, row: DeliveryRow, move: Move): Promise<boolean> {
  assertAllowed(row, move);
  const moved = await tx
    .update(delivery)
    .set({ ...move.set, status: move.to })
    .where(
      and(
        eq(delivery.id, row.id),
        eq(delivery.status, row.status),
        eq(delivery.attempts, row.attempts),
        move.onlyUnwritten ? isNull(delivery.writingAt) : undefined,
      ),
    )
    .returning({ id: delivery.id });
  if (moved.length === 0) return false;
  await insertTransition(tx, row, move);
  return true;
}

/** What every event about a delivery says. */
export function deliveryEventData(row: DeliveryRow): EventData<'delivery.prepared'> {
  return {
    deliveryId: idFromUuid('delivery', row.id),
    messageId: idFromUuid('message', row.messageId),
    agentId: idFromUuid('agent', row.agentId),
    attempt: row.attempts,
  };
}
