import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { accessGrant } from '../schema.ts';
import type { GrantRow } from './grant-reader.ts';

export type NewGrant = Pick<GrantRow, 'tenantId' | 'id' | 'sessionId' | 'attachmentId' | 'agentId' | 'rights'> & {
  expiresAt: Date | undefined;
};

/** Adds a grant of its own; those of messages and of an agent's outputs are written with these. */
export async function insertGrant(tx: Tx, row: NewGrant): Promise<GrantRow> {
  const [inserted] = await tx.insert(accessGrant).values(row).returning();
  if (!inserted) throw new Error('an insert returned no row');
  return inserted;
}

/** Ends a grant of a session at once, whatever it came from. Undefined: it was revoked before, or is not there. */
export async function revokeGrant(tx: Tx, sessionId: string, grantId: string): Promise<GrantRow | undefined> {
  const [revoked] = await tx
    .update(accessGrant)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(accessGrant.id, grantId), eq(accessGrant.sessionId, sessionId), isNull(accessGrant.revokedAt)))
    .returning();
  return revoked;
}
