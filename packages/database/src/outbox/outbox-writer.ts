import type { BusData, Subject, TraceContext } from '@attache/contracts';
import { currentTrace } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';

type OutboxMessage = {
  id: string;
  subject: Subject;
  data: { tenantId: string; sessionId: string } & Record<string, string>;
  trace?: TraceContext | undefined;
};

/** Puts a message into the outbox of this transaction: the only way out of the database. */
export async function addToOutbox<S extends Subject>(tx: Tx, subject: S, data: BusData<S>): Promise<void> {
  await putMessage(tx, { id: uuidV7(), subject, data: data as OutboxMessage['data'], trace: currentTrace() });
}

/** Puts one message into the outbox in a transaction of its own. */
export async function insertOutboxMessage(db: Database, message: OutboxMessage): Promise<void> {
  await db.asTenant(message.data.tenantId, (tx) => putMessage(tx, message));
}

async function putMessage(tx: Tx, message: OutboxMessage): Promise<void> {
  const row = JSON.stringify({ ...message, fallbackMs: tx.fallbackMs });
  const owner = await runStatement<string | null>(tx, sql`select to_jsonb(attache_put_message(${row}::jsonb))`);
  tx.announced.push({ ...message, owner });
}

/** The id of the outbox message that this attempt of a delivery is prepared: the claim of the delivery settles that row without having read it. */
export function preparedMessageIdOf(deliveryId: string, attempt: number): string {
  // As a uuid of version 8: that of the delivery with the attempt in the place of its twelve bits of order.
  const counted = (attempt & 0xfff).toString(16).padStart(3, '0');
  return `${deliveryId.slice(0, 14)}8${counted}${deliveryId.slice(18)}`;
}
