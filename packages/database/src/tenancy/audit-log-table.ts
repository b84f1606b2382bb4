import type { AuditAction, AuditActor } from '@attache/contracts';
import { foreignKey, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { schemaVersion, tenantId, time } from '../columns.ts';
import { tenant } from './tenant-table.ts';

/** A tenant's audit log, separate from the session logs: keys, URLs, exports, denials. */
export const auditLog = pgTable(
  'audit_log',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    at: time('at').notNull().defaultNow(),
    actor: jsonb('actor').$type<AuditActor>().notNull(),
    action: text('action').$type<AuditAction>().notNull(),
    subjectId: text('subject_id'),
    data: jsonb('data').$type<Record<string, string | number | boolean>>().notNull().default({}),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
    index('audit_log_list').on(table.tenantId, table.at, table.id),
    index('audit_log_action').on(table.tenantId, table.action, table.at, table.id),
  ],
);
