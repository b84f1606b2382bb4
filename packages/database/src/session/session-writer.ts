import type { ReplayPolicy, Right } from '@attache/contracts';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { v4 as uuidV4 } from 'uuid';
import type { Tx } from '../database.ts';
import { participant, session, tenantUser } from '../schema.ts';

export type NewSession = {
  tenantId: string;
  id: string;
  externalId: string | null;
  replayPolicy: ReplayPolicy;
  conversions: 'allow' | 'deny';
  metadata: Record<string, string | number | boolean | null>;
  createdAt: Date;
};

export async function insertSession(tx: Tx, row: NewSession): Promise<void> {
  await tx.insert(session).values(row);
}

/** Ends an active session. False: it was not active. */
export async function endSession(tx: Tx, sessionId: string): Promise<boolean> {
  const ended = await tx
    .update(session)
    .set({ status: 'ended', endedAt: sql`now()` })
    .where(and(eq(session.id, sessionId), eq(session.status, 'active')))
    .returning({ id: session.id });
  return ended.length > 0;
}

/** Uuid of the tenant's user with this external id; made if new. */
export async function upsertUser(tx: Tx, row: { tenantId: string; externalUserId: string }): Promise<string> {
  const [user] = await tx
    .insert(tenantUser)
    .values({ ...row, id: uuidV4() })
    .onConflictDoUpdate({
      target: [tenantUser.tenantId, tenantUser.externalUserId],
      set: { externalUserId: row.externalUserId },
    })
    .returning({ id: tenantUser.id });
  if (!user) throw new Error('an upsert returned no row');
  return user.id;
}

/** Adds a participant. False: the user already was one; the rights stay as they were. */
export async function insertParticipant(
  tx: Tx,
  row: { tenantId: string; sessionId: string; userId: string; rights: Right[] },
): Promise<boolean> {
  const added = await tx
    .insert(participant)
    .values(row)
    .onConflictDoNothing()
    .returning({ userId: participant.userId });
  return added.length > 0;
}

/** Ends every token of a session, or those of one user of the tenant. */
export async function raiseTokenGeneration(tx: Tx, sessionId: string, externalUserId?: string): Promise<void> {
  if (externalUserId === undefined) {
    const tokenGeneration = sql`${session.tokenGeneration} + 1`;
    await tx.update(session).set({ tokenGeneration }).where(eq(session.id, sessionId));
    return;
  }
  const users = tx.select({ id: tenantUser.id }).from(tenantUser).where(eq(tenantUser.externalUserId, externalUserId));
  await tx
    .update(participant)
    .set({ tokenGeneration: sql`${participant.tokenGeneration} + 1` })
    .where(and(eq(participant.sessionId, sessionId), inArray(participant.userId, users)));
}
