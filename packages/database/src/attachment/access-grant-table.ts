import { foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from '../columns.ts';
import { agent } from '../session/agent-table.ts';
import { attachment } from './attachment-table.ts';

/** Explicit right of an agent to an attachment. Naming an attachment in a message is one (SR-28). */
export const accessGrant = pgTable(
  'access_grant',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    sessionId: uuid('session_id').notNull(),
    attachmentId: uuid('attachment_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    messageId: uuid('message_id'),
    rights: text('rights').array().notNull().default(['read']),
    createdAt: createdAt(),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId, table.attachmentId], foreignColumns: [attachment.tenantId, attachment.id] }),
    foreignKey({ columns: [table.tenantId, table.agentId], foreignColumns: [agent.tenantId, agent.id] }),
    index('access_grant_of_attachment').on(table.tenantId, table.attachmentId),
    index('access_grant_of_agent').on(table.tenantId, table.agentId, table.attachmentId),
  ],
);
