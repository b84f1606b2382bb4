import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from '../columns.ts';

/** One use of an idempotency key. The kept answer is sealed: it may hold a token or a text. */
export const idempotency = pgTable(
  'idempotency',
  {
    tenantId: tenantId(),
    route: text('route').notNull(),
    /** The nil uuid where the route has no session. */
    sessionId: uuid('session_id').notNull(),
    key: text('key').notNull(),
    state: text('state').$type<'in-progress' | 'done'>().notNull().default('in-progress'),
    fingerprint: text('fingerprint'),
    status: integer('status'),
    sealedAnswer: text('sealed_answer'),
    /** The incarnation that works on it: once its lease has ended, the key may be taken again. */
    /** The principal that opened it: a participant, or a key with its successors. */
    principal: text('principal'),
    holder: uuid('holder'),
    /** The one request that works on it: only that one may free the key. */
    ticket: uuid('ticket'),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.route, table.sessionId, table.key] }),
    index('idempotency_open').on(table.tenantId, table.createdAt).where(sql`state = 'in-progress'`),
    index('idempotency_expiry').on(table.tenantId, table.expiresAt),
  ],
);
