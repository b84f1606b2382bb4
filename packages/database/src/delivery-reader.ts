import { type Delivery, idFromUuid, type Transition } from '@attache/contracts';
import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Tx } from './database.ts';
import { delivery, deliveryTransition } from './schema.ts';

export type DeliveryRow = typeof delivery.$inferSelect;

/** A delivery row by uuid; undefined where it is unknown or another tenant's. */
export async function findDelivery(tx: Tx, deliveryId: string): Promise<DeliveryRow | undefined> {
  const [row] = await tx.select().from(delivery).where(eq(delivery.id, deliveryId));
  return row;
}

async function readTimeline(tx: Tx, deliveryId: string): Promise<Transition[]> {
  const rows = await tx
    .select()
    .from(deliveryTransition)
    .where(eq(deliveryTransition.deliveryId, deliveryId))
    .orderBy(asc(deliveryTransition.position));
  return rows.map((row) => ({
    at: row.at.toISOString(),
    status: row.status,
    actor: row.actor,
    ...(row.epoch === null ? {} : { epoch: row.epoch }),
    attempt: row.attempt,
    traceId: row.traceId,
    ...(row.code === null ? {} : { code: row.code }),
  }));
}

/** The delivery with its timeline, as callers see it. */
export async function describeDelivery(tx: Tx, row: DeliveryRow): Promise<Delivery> {
  return {
    id: idFromUuid('delivery', row.id),
    messageId: idFromUuid('message', row.messageId),
    agentId: idFromUuid('agent', row.agentId),
    status: row.status,
    attempts: row.attempts,
    plan: row.plan,
    ...(row.failure === null ? {} : { failure: row.failure }),
    ...(row.receipt === null ? {} : { receipt: row.receipt }),
    traceId: row.traceId,
    timeline: await readTimeline(tx, row.id),
    schemaVersion: row.schemaVersion,
  };
}

/** Deliveries of a session in the given statuses, in the order in which their agents take them. */
export async function readDeliveriesOfSession(
  tx: Tx,
  sessionId: string,
  statuses: readonly DeliveryRow['status'][],
): Promise<DeliveryRow[]> {
  return tx
    .select()
    .from(delivery)
    .where(and(eq(delivery.sessionId, sessionId), inArray(delivery.status, [...statuses])))
    .orderBy(delivery.messageSeq, delivery.id);
}

/** Deliveries of an agent in the given statuses, in seq order. */
export async function readDeliveriesOfAgent(
  tx: Tx,
  agentId: string,
  statuses: readonly DeliveryRow['status'][],
): Promise<DeliveryRow[]> {
  return tx
    .select()
    .from(delivery)
    .where(and(eq(delivery.agentId, agentId), inArray(delivery.status, [...statuses])))
    .orderBy(delivery.messageSeq, delivery.id);
}
