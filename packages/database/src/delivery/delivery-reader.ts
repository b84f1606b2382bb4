import { type Delivery, idFromUuid, type Transition } from '@attache/contracts';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { type FoundAttachment, type StoredAttachment, toStored } from '../attachment/attachment-reader.ts';
import { type JsonRow, rowFromJson } from '../connection/json-row.ts';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { type QuarantinedJson, type QuarantinedPart, toQuarantined } from '../quarantine/quarantine-reader.ts';
import { agent, delivery, deliveryTransition } from '../schema.ts';
import type { AgentRow } from '../session/agent-reader.ts';
import type { SessionRow } from '../session/session-reader.ts';
import { type Probes, type ProbesJson, toProbes } from '../tenancy/profile-probe.ts';

export type DeliveryRow = typeof delivery.$inferSelect;

/** A delivery row by uuid; undefined where it is unknown or another tenant's. */
export async function findDelivery(tx: Tx, deliveryId: string): Promise<DeliveryRow | undefined> {
  const [row] = await tx.select().from(delivery).where(eq(delivery.id, deliveryId));
  return row;
}

/** Name of the profile of the agent that a delivery is for; undefined as above. */
export async function findProfile(tx: Tx, deliveryId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ profile: agent.profile })
    .from(delivery)
    .innerJoin(agent, and(eq(agent.tenantId, delivery.tenantId), eq(agent.id, delivery.agentId)))
    .where(eq(delivery.id, deliveryId));
  return row?.profile;
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

/** Reads the reason why a delivery waits that its agent has not taken; undefined if none of these applies. */
async function readWaitsFor(tx: Tx, { id, status }: DeliveryRow): Promise<Delivery['waitsFor']> {
  if (status !== 'queued' && status !== 'prepared') return undefined;
  return (await runStatement<Delivery['waitsFor'] | null>(tx, sql`select attache_waits_for(${id}::uuid)`)) ?? undefined;
}

/** The delivery with its timeline, as callers see it. */
export async function describeDelivery(tx: Tx, row: DeliveryRow, waitsFor?: Delivery['waitsFor']): Promise<Delivery> {
  return {
    id: idFromUuid('delivery', row.id),
    messageId: idFromUuid('message', row.messageId),
    agentId: idFromUuid('agent', row.agentId),
    status: row.status,
    ...(waitsFor === undefined ? {} : { waitsFor }),
    attempts: row.attempts,
    plan: row.plan,
    ...(row.failure === null ? {} : { failure: row.failure }),
    ...(row.receipt === null ? {} : { receipt: row.receipt }),
    traceId: row.traceId,
    timeline: await readTimeline(tx, row.id),
    schemaVersion: row.schemaVersion,
  };
}

/** The same, with what it waits for. */
export const describePresent = async (tx: Tx, row: DeliveryRow): Promise<Delivery> =>
  describeDelivery(tx, row, await readWaitsFor(tx, row));

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

/** The deliveries of a message, in the order in which its agents were named: their ids were drawn in that order. */
export async function readDeliveriesOfMessage(tx: Tx, messageId: string): Promise<DeliveryRow[]> {
  return tx.select().from(delivery).where(eq(delivery.messageId, messageId)).orderBy(delivery.id);
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

/**
 * The same, locked until the transaction ends. Whoever moves several deliveries of an agent begins so: each move locks the agent's row, behind that of its
 * delivery.
 */
export async function lockDeliveriesOfAgent(
  tx: Tx,
  agentId: string,
  statuses: readonly DeliveryRow['status'][],
): Promise<DeliveryRow[]> {
  return tx
    .select()
    .from(delivery)
    .where(and(eq(delivery.agentId, agentId), inArray(delivery.status, [...statuses])))
    .orderBy(delivery.messageSeq, delivery.id)
    .for('no key update');
}

/** A delivery with what its message says and names. `text` is null where it was erased. */
export type DeliveryDraft = { row: DeliveryRow; text: string | null; attachments: StoredAttachment[] };

type DraftJson = { row: JsonRow; text: string | null; attachments: FoundAttachment[] };

/** Reads a delivery that is to be prepared, in one round trip. Undefined: it is no longer queued. */
export async function readDraft(
  db: Database,
  { tenantId, deliveryId }: { tenantId: string; deliveryId: string },
): Promise<DeliveryDraft | undefined> {
  const found = await db.call<DraftJson | null>(
    sql`select attache_read_draft(${tenantId}::uuid, ${deliveryId}::uuid)`,
    { tenantId },
  );
  return found ? toDraft(found) : undefined;
}

/** The same inside a transaction, of deliveries in any status and in no particular order. */
export async function readDrafts(tx: Tx, deliveryIds: readonly string[]): Promise<DeliveryDraft[]> {
  if (deliveryIds.length === 0) return [];
  const statement = sql`select attache_drafts(${`{${deliveryIds.join(',')}}`}::uuid[])`;
  return (await runStatement<DraftJson[]>(tx, statement)).map(toDraft);
}

function toDraft({ row, text, attachments }: DraftJson): DeliveryDraft {
  return { row: rowFromJson(delivery, row), text, attachments: attachments.map(toStored) };
}

/** The delivery that an agent is to get next, with all that is needed to bring it. */
export type NextDelivery = {
  row: DeliveryRow;
  agent: AgentRow;
  sessionStatus: SessionRow['status'];
  /** The attachments of its message that still exist. */
  attachments: StoredAttachment[];
  /** Uuids of those of them that the agent may not read any more. */
  notGranted: readonly string[];
  probes: Probes;
  /** The parts that its model refused before. */
  quarantined: readonly QuarantinedPart[];
  /** It came with a ring, not from the database. The claim compares it with the database. */
  isRung?: true;
};

/** The same as the database says it. */
export type NextJson = Omit<NextDelivery, 'row' | 'agent' | 'attachments' | 'probes' | 'quarantined' | 'isRung'> & {
  row: JsonRow;
  agent: JsonRow;
  attachments: FoundAttachment[];
  probes: ProbesJson;
  quarantined: QuarantinedJson[];
};

/**
 * Reads the head of an agent's line, in one round trip. Undefined: nothing is in it, or its first is not `prepared`. For a turn that is
 * to be steered, what is written already is passed over.
 */
export async function readNextDelivery(
  db: Database,
  { tenantId, agentId, isSteered = false }: { tenantId: string; agentId: string; isSteered?: boolean },
): Promise<NextDelivery | undefined> {
  const found = await db.call<NextJson | null>(
    isSteered
      ? sql`select attache_read_steered(${tenantId}::uuid, ${agentId}::uuid)`
      : sql`select attache_read_head(${tenantId}::uuid, ${agentId}::uuid)`,
    { tenantId },
  );
  return found ? toNextDelivery(found) : undefined;
}

/** The head that came with a ring for a delivery; undefined where it is not that of this delivery. It may be old or forged: the claim finds out. */
export function readRungHead(
  head: unknown,
  rung: { tenantId: string; sessionId: string; deliveryId: string; agentId?: string | undefined },
): NextDelivery | undefined {
  try {
    const next = toNextDelivery(head as NextJson);
    const { row, agent: taker } = next;
    const isOfRing =
      [row.tenantId, taker.tenantId].every((id) => id === rung.tenantId) &&
      [row.sessionId, taker.sessionId].every((id) => id === rung.sessionId) &&
      [row.agentId, taker.id].every((id) => id === rung.agentId);
    const isWhole = Array.isArray(row.parts) && Array.isArray(row.plan.items) && Number.isInteger(row.attempts);
    if (!isOfRing || !isWhole || row.id !== rung.deliveryId || row.status !== 'prepared') return undefined;
    return { ...next, isRung: true };
  } catch {
    return undefined;
  }
}

export function toNextDelivery(found: NextJson): NextDelivery {
  return {
    row: rowFromJson(delivery, found.row),
    agent: rowFromJson(agent, found.agent),
    sessionStatus: found.sessionStatus,
    attachments: found.attachments.map(toStored),
    notGranted: found.notGranted,
    probes: toProbes(found.probes),
    quarantined: found.quarantined.map(toQuarantined),
  };
}
