import type { AuditAction, AuditEntry } from '@attache/contracts';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { auditLog } from '../schema.ts';

export type AuditQuery = {
  action?: AuditAction | undefined;
  /** The last item of the page before. */
  before?: { createdAt: Date; id: string } | undefined;
  limit: number;
};

/** Entries of the tenant's audit log, newest first. */
export async function listAudit(tx: Tx, { action, before, limit }: AuditQuery): Promise<AuditEntry[]> {
  // A comparison of rows, which one look into the index answers.
  const isBefore =
    before &&
    sql`(${auditLog.at}, ${auditLog.id}) < (${before.createdAt.toISOString()}::timestamptz, ${before.id}::uuid)`;
  const rows = await tx
    .select()
    .from(auditLog)
    .where(and(isBefore, action && eq(auditLog.action, action)))
    .orderBy(desc(auditLog.at), desc(auditLog.id))
    .limit(limit);
  return rows.map((row) => ({
    id: row.id,
    at: row.at.toISOString(),
    actor: row.actor,
    action: row.action,
    ...(row.subjectId === null ? {} : { subjectId: row.subjectId }),
    data: row.data,
    schemaVersion: row.schemaVersion,
  }));
}
