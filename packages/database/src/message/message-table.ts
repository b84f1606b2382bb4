import type { Actor } from '@attache/contracts';
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { attachment } from '../attachment/attachment-table.ts';
import { createdAt, schemaVersion, tenantId } from '../columns.ts';
import { session } from '../session/session-table.ts';

/** A participant's message to agents. Holds ids, never data. */
export const message = pgTable(
  'message',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    sessionId: uuid('session_id').notNull(),
    sender: jsonb('sender').$type<Actor>().notNull(),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId, table.sessionId], foreignColumns: [session.tenantId, session.id] }),
    index('message_of_session').on(table.tenantId, table.sessionId),
  ],
);

/** The text is kept apart, to be erased on its own. */
export const messageText = pgTable(
  'message_text',
  {
    tenantId: tenantId(),
    messageId: uuid('message_id').notNull(),
    text: text('text').notNull(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.messageId] }),
    foreignKey({ columns: [table.tenantId, table.messageId], foreignColumns: [message.tenantId, message.id] }),
  ],
);

export const messageAttachment = pgTable(
  'message_attachment',
  {
    tenantId: tenantId(),
    messageId: uuid('message_id').notNull(),
    position: integer('position').notNull(),
    attachmentId: uuid('attachment_id').notNull(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.messageId, table.position] }),
    foreignKey({ columns: [table.tenantId, table.messageId], foreignColumns: [message.tenantId, message.id] }),
    foreignKey({ columns: [table.tenantId, table.attachmentId], foreignColumns: [attachment.tenantId, attachment.id] }),
    index('message_attachment_of_attachment').on(table.tenantId, table.attachmentId),
  ],
);
