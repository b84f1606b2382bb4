import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Tx } from './database.ts';
import { accessGrant } from './schema.ts';

const isValid = and(
  isNull(accessGrant.revokedAt),
  or(isNull(accessGrant.expiresAt), gt(accessGrant.expiresAt, sql`now()`)),
);

/** Uuids of the attachments that are granted to an agent now. */
export async function readGrantedAttachments(tx: Tx, agentId: string): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ attachmentId: accessGrant.attachmentId })
    .from(accessGrant)
    .where(and(eq(accessGrant.agentId, agentId), isValid));
  return rows.map((row) => row.attachmentId);
}

/** Whether an agent may read an attachment now. */
export async function isGranted(tx: Tx, agentId: string, attachmentId: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: accessGrant.id })
    .from(accessGrant)
    .where(and(eq(accessGrant.agentId, agentId), eq(accessGrant.attachmentId, attachmentId), isValid))
    .limit(1);
  return row !== undefined;
}
