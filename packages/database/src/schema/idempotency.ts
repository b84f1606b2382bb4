import { integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from './columns.ts';

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
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    schemaVersion: schemaVersion(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.route, table.sessionId, table.key] })],
);
