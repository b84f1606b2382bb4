import type { DeclaredCapability, TraceContext } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from './columns.ts';

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
    index('outbox_waiting').on(table.availableAt).where(sql`state = 'waiting'`),
    index('outbox_created').on(table.createdAt),
    index('outbox_published').on(table.tenantId, table.publishedAt).where(sql`state = 'published'`),
  ],
);

/** What a consumer has handled, in the transaction of its effects (W8). */
export const inbox = pgTable(
  'inbox',
  {
    tenantId: tenantId(),
    eventId: uuid('event_id').notNull(),
    consumer: text('consumer').notNull(),
    handledAt: time('handled_at').notNull().defaultNow(),
    schemaVersion: schemaVersion(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.eventId, table.consumer] })],
);

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
  (table) => [primaryKey({ columns: [table.tenantId, table.id, table.consumer] })],
);

export const replica = pgTable('replica', {
  id: text('id').primaryKey(),
  incarnation: uuid('incarnation').notNull(),
  state: text('state').$type<'active' | 'draining' | 'gone'>().notNull().default('active'),
  leaseUntil: time('lease_until').notNull(),
  schemaVersion: schemaVersion(),
});

/** Who owns a session. The epoch is the fencing token. */
export const sessionOwner = pgTable(
  'session_owner',
  {
    tenantId: tenantId(),
    sessionId: uuid('session_id').notNull(),
    replicaId: text('replica_id').notNull(),
    incarnation: uuid('incarnation').notNull(),
    epoch: bigint('epoch', { mode: 'number' }).notNull(),
    releasedAt: time('released_at'),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.sessionId] }),
    index('session_owner_incarnation').on(table.incarnation).where(sql`released_at is null`),
  ],
);

/** When a periodic sweep last ran. */
export const sweep = pgTable('sweep', {
  name: text('name').primaryKey(),
  lastRunAt: time('last_run_at').notNull(),
  found: integer('found').notNull().default(0),
  schemaVersion: schemaVersion(),
});

/** What a profile's program declared when it was asked, once per program version. */
export const profileProbe = pgTable(
  'profile_probe',
  {
    profile: text('profile').notNull(),
    programVersion: text('program_version').notNull(),
    declared: jsonb('declared').$type<DeclaredCapability>().notNull(),
    probedAt: time('probed_at').notNull().defaultNow(),
    schemaVersion: schemaVersion(),
  },
  (table) => [primaryKey({ columns: [table.profile, table.programVersion] })],
);
