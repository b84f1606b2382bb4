import { type Grant, grantRightSchema, idFromUuid } from '@attache/contracts';
import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Database, Tx } from '../database.ts';
import { accessGrant } from '../schema.ts';

export type GrantRow = typeof accessGrant.$inferSelect;

export function describeGrant(row: GrantRow): Grant {
  return {
    id: idFromUuid('grant', row.id),
    attachmentId: idFromUuid('attachment', row.attachmentId),
    agentId: idFromUuid('agent', row.agentId),
    rights: row.rights.map((right) => grantRightSchema.parse(right)),
    ...(row.expiresAt === null ? {} : { expiresAt: row.expiresAt.toISOString() }),
    createdAt: row.createdAt.toISOString(),
    schemaVersion: row.schemaVersion,
  };
}

/** The condition of a grant that is valid now. */
export const isValidGrant = and(
  isNull(accessGrant.revokedAt),
  or(isNull(accessGrant.expiresAt), gt(accessGrant.expiresAt, sql`now()`)),
);

/** Uuids of the attachments that are granted to an agent now. */
export async function readGrantedAttachments(tx: Tx, agentId: string): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ attachmentId: accessGrant.attachmentId })
    .from(accessGrant)
    .where(and(eq(accessGrant.agentId, agentId), isValidGrant));
  return rows.map((row) => row.attachmentId);
}

/** Whether an agent may read an attachment now. */
export async function isGranted(tx: Tx, agentId: string, attachmentId: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: accessGrant.id })
    .from(accessGrant)
    .where(and(eq(accessGrant.agentId, agentId), eq(accessGrant.attachmentId, attachmentId), isValidGrant))
    .limit(1);
  return row !== undefined;
}

/** Which of these attachments an agent may use now, in one round trip. */
export async function readPermitted(
  db: Database,
  place: { tenantId: string; sessionId: string; agentId: string },
  attachmentIds: readonly string[],
): Promise<Set<string>> {
  const { tenantId, sessionId, agentId } = place;
  const ids = `{${attachmentIds.join(',')}}`;
  const found = await db.call<string[]>(
    sql`select attache_permitted(${tenantId}::uuid, ${sessionId}::uuid, ${agentId}::uuid, ${ids}::uuid[])`,
    { tenantId },
  );
  return new Set(found);
}
