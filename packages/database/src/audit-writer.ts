import type { Actor } from '@attache/contracts';
import { v7 as uuidV7 } from 'uuid';
import type { Tx } from './database.ts';
import { auditLog } from './schema.ts';

export type AuditAction = 'urls.ended' | 'attachment.deleted' | 'token.created' | 'access.denied';

/** Appends to the tenant's audit log. `subjectId` and `data` hold ids and short words. */
export async function appendAudit(
  tx: Tx,
  entry: {
    tenantId: string;
    actor: Actor;
    action: AuditAction;
    subjectId?: string;
    data?: Record<string, string | number | boolean>;
  },
): Promise<void> {
  await tx.insert(auditLog).values({ ...entry, id: uuidV7() });
}
