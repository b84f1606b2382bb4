import type { AuditAction, AuditActor } from '@attache/contracts';
import { v7 as uuidV7 } from 'uuid';
import type { Tx } from '../database.ts';
import { auditLog } from '../schema.ts';

export type NewAuditEntry = {
  tenantId: string;
  actor: AuditActor;
  action: AuditAction;
  subjectId?: string;
  data?: Record<string, string | number | boolean>;
};

/** Appends to the tenant's audit log. `subjectId` and `data` hold ids, counts and short words, never a secret. */
export async function appendAudit(tx: Tx, entry: NewAuditEntry): Promise<void> {
  await tx.insert(auditLog).values({ ...entry, id: uuidV7() });
}
