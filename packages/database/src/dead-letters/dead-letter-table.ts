import type { TraceContext } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from '../columns.ts';

/** Messages that were given up, for an operator to read and to replay. */
export const deadLetter = pgTable(
  'dead_letter',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    consumer: text('consumer').notNull(),
    subject: text('subject').notNull(),
    data: jsonb('data').$type<Record<string, string>>().notNull(),
    trace: jsonb('trace').$type<TraceContext>(),
    reason: text('reason').notNull(),
    attempts: integer('attempts').notNull(),
    createdAt: createdAt(),
    replayedAt: time('replayed_at'),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id, table.consumer] }),
    index('dead_letter_list').on(table.createdAt, table.tenantId, table.id, table.consumer),
    index('dead_letter_unreplayed')
      .on(table.createdAt, table.tenantId, table.id, table.consumer)
      .where(sql`replayed_at is null`),
  ],
);
