import type { AuditAction, AuditActor } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { auditLog } from '../schema.ts';

export type NewAuditEntry = {
  tenantId: string;
  actor: AuditActor;
  action: AuditAction;
  subjectId?: string;
  data?: Record<string, string | number | boolean>;
  /** Now, where it is left out. */
  at?: Date;
};

/** One transaction's worth of what is older than `before`. A day is kept whatever it says. */
export type PruneBatch = { tenantId: string; before: Date; limit: number };

/** Appends to the tenant's audit log. `subjectId` and `data` hold ids, counts and short words, never a secret. */
export async function appendAudit(tx: Tx, entry: NewAuditEntry): Promise<void> {
  await tx.insert(auditLog).values({ ...entry, id: uuidV7() });
}

/** Appends several entries, or none. */
export async function appendAudits(tx: Tx, entries: readonly NewAuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await tx.insert(auditLog).values(entries.map((entry) => ({ ...entry, id: uuidV7() })));
}

/** Removes the oldest entries from before the given time, in one transaction and no more than `limit`. Returns how many; a legal hold of the tenant keeps all. */
export async function pruneAudit(db: Database, batch: PruneBatch): Promise<number> {
  return db.asWorker((tx) =>
    runStatement(tx, sql`select to_jsonb(attache_prune_audit(${JSON.stringify(batch)}::jsonb))`),
  );
}
