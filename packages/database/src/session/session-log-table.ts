import type { Actor, EventKind } from '@attache/contracts';
import { bigint, foreignKey, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { schemaVersion, tenantId, time } from '../columns.ts';
import { session } from './session-table.ts';

/** The canonical, append-only events of a session. Written only by `append-events.ts` and the SQL function behind it. */
export const sessionLog = pgTable(
  'session_log',
  {
    tenantId: tenantId(),
    sessionId: uuid('session_id').notNull(),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    id: uuid('id').notNull(),
    at: time('at').notNull().defaultNow(),
    kind: text('kind').$type<EventKind>().notNull(),
    actor: jsonb('actor').$type<Actor>().notNull(),
    traceId: text('trace_id').notNull(),
    data: jsonb('data').$type<Record<string, unknown>>().notNull(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.sessionId, table.seq] }),
    foreignKey({ columns: [table.tenantId, table.sessionId], foreignColumns: [session.tenantId, session.id] }),
  ],
);
