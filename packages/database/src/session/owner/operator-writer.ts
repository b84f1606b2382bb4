import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../../database.ts';
import { replica, session, sessionOwner } from '../../schema.ts';
import type { OwnedSession } from './session-owner-writer.ts';

/** Asks a living gateway to let go of its sessions and to take no others. False: no living one has this name. */
export async function askToDrain(db: Database, replicaId: string): Promise<boolean> {
  const asked = await db.asWorker((tx) =>
    tx
      .update(replica)
      .set({ drainAskedAt: new Date() })
      .where(and(eq(replica.id, replicaId), sql`${replica.leaseUntil} > now()`))
      .returning({ id: replica.id }),
  );
  return asked.length > 0;
}

/** Asks the owner of a session to let go of it, for the gateway of this name or for any. False: nobody owns it. */
export async function askToMove(
  db: Database,
  { tenantId, sessionId }: OwnedSession,
  to: string | undefined,
): Promise<boolean> {
  const asked = await db.asWorker((tx) =>
    tx
      .update(sessionOwner)
      .set({ moveTo: to ?? '', moveAskedAt: new Date() })
      .where(
        and(
          eq(sessionOwner.tenantId, tenantId),
          eq(sessionOwner.sessionId, sessionId),
          sql`${sessionOwner.releasedAt} is null`,
        ),
      )
      .returning({ id: sessionOwner.sessionId }),
  );
  return asked.length > 0;
}

/** Lets a parked session continue: its owner releases it, and the next owner delivers the waiting messages. False: it is not parked. */
export async function unparkSession(db: Database, { tenantId, sessionId }: OwnedSession): Promise<boolean> {
  const isUnparked = await db.asTenant(tenantId, async (tx) => {
    const rows = await tx
      .update(session)
      .set({ parkedAt: null })
      .where(and(eq(session.tenantId, tenantId), eq(session.id, sessionId), isNotNull(session.parkedAt)))
      .returning({ id: session.id });
    return rows.length > 0;
  });
  if (!isUnparked) return false;
  await db.asWorker((tx) =>
    tx
      .update(sessionOwner)
      .set({ deaths: 0, moveTo: '', moveAskedAt: new Date(), releasedAt: null })
      .where(and(eq(sessionOwner.tenantId, tenantId), eq(sessionOwner.sessionId, sessionId))),
  );
  return true;
}
