import type { TraceContext } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from '../columns.ts';

// Control tables hold ids only. The worker role reads them across tenants and then acts inside the row's tenant.

/** Messages of the same transaction waiting to be published; on the embedded stack, the bus itself. */
export const outbox = pgTable(
  'outbox',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    subject: text('subject').notNull(),
    data: jsonb('data').$type<Record<string, string>>().notNull(),
    trace: jsonb('trace').$type<TraceContext>(),
    state: text('state').$type<'waiting' | 'published' | 'done' | 'dead'>().notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    /** How often the message was given to a broker; each time under a message id of its own. */
    emission: integer('emission').notNull().default(0),
    /** How often a consumer put it back to wait; each time is an emission too. */
    deferrals: integer('deferrals').notNull().default(0),
    publishedAt: time('published_at'),
    availableAt: time('available_at').notNull().defaultNow(),
    claimedUntil: time('claimed_until'),
    settledAt: time('settled_at'),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    index('outbox_lane').on(table.subject, table.tenantId, table.createdAt, table.id).where(sql`state = 'waiting'`),
    index('outbox_waiting').on(table.availableAt).where(sql`state = 'waiting'`),
    index('outbox_settled').on(table.createdAt).where(sql`state in ('done', 'dead')`),
    index('outbox_created').on(table.createdAt),
    index('outbox_published').on(table.tenantId, table.publishedAt).where(sql`state = 'published'`),
  ],
);

/** The messages that a consumer has handled, written in the transaction of their effects (W8). */
export const inbox = pgTable(
  'inbox',
  {
    tenantId: tenantId(),
    eventId: uuid('event_id').notNull(),
    consumer: text('consumer').notNull(),
    handledAt: time('handled_at').notNull().defaultNow(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.eventId, table.consumer] }),
    index('inbox_handled').on(table.handledAt),
  ],
);
