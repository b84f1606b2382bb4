import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { schemaVersion, tenantId, time } from '../../columns.ts';
import type { Placement } from './placement.ts';

/** A gateway process by name, and the lease that it renews. */
export const replica = pgTable(
  'replica',
  {
    id: text('id').primaryKey(),
    incarnation: uuid('incarnation').notNull(),
    state: text('state').$type<'active' | 'draining' | 'gone'>().notNull().default('active'),
    leaseUntil: time('lease_until').notNull(),
    startedAt: time('started_at').notNull().defaultNow(),
    /** An operator wants it to let go of its sessions and take no others. */
    drainAskedAt: time('drain_asked_at'),
    /** The gateway's room for agents; null before it has reported any. */
    placement: jsonb('placement').$type<Placement>(),
    schemaVersion: schemaVersion(),
  },
  (table) => [index('replica_incarnation').on(table.incarnation)],
);

/** The owner of a session. The epoch is the fencing token. */
export const sessionOwner = pgTable(
  'session_owner',
  {
    tenantId: tenantId(),
    sessionId: uuid('session_id').notNull(),
    replicaId: text('replica_id').notNull(),
    incarnation: uuid('incarnation').notNull(),
    epoch: bigint('epoch', { mode: 'number' }).notNull(),
    releasedAt: time('released_at'),
    /** When its owner was seen to have died with it. */
    diedAt: time('died_at'),
    /** How many gateways in a row died during a delivery of the session. */
    deaths: integer('deaths').notNull().default(0),
    /** End of the session's log when the last of them died. */
    diedSeq: bigint('died_seq', { mode: 'number' }).notNull().default(0),
    /** An operator wants another gateway to have it: the one of this name, or with '' any. */
    moveTo: text('move_to'),
    moveAskedAt: time('move_asked_at'),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.sessionId] }),
    index('session_owner_replica').on(table.replicaId, table.tenantId, table.sessionId).where(sql`released_at is null`),
    index('session_owner_incarnation').on(table.incarnation).where(sql`released_at is null`),
    index('session_owner_moving').on(table.incarnation).where(sql`move_to is not null and released_at is null`),
  ],
);
