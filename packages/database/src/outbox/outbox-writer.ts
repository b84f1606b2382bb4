import type { BusData, Subject, TraceContext } from '@attache/contracts';
import { currentTrace } from '@attache/telemetry';
import { v7 as uuidV7 } from 'uuid';
import type { Database, Tx } from '../database.ts';
import { outbox } from '../schema.ts';

/** Puts a message into the outbox of this transaction: the only way out of the database. */
export async function addToOutbox<S extends Subject>(tx: Tx, subject: S, data: BusData<S>): Promise<void> {
  tx.doorbells.add(`outbox:${subject}`);
  await tx.insert(outbox).values({
    tenantId: data.tenantId,
    id: uuidV7(),
    subject,
    data: data as Record<string, string>,
    trace: currentTrace() ?? null,
  });
}

/** Puts one message into the outbox in a transaction of its own. */
export async function insertOutboxMessage(
  db: Database,
  message: {
    id: string;
    subject: Subject;
    data: { tenantId: string } & Record<string, string>;
    trace?: TraceContext | undefined;
  },
): Promise<void> {
  await db.asTenant(message.data.tenantId, async (tx) => {
    tx.doorbells.add(`outbox:${message.subject}`);
    const { id, subject, data } = message;
    await tx.insert(outbox).values({ tenantId: data.tenantId, id, subject, data, trace: message.trace ?? null });
  });
}
