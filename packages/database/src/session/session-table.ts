import type { ReplayPolicy } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from '../columns.ts';
import { tenant } from '../tenancy/tenant-table.ts';

/** One conversation of a tenant. `lastSeq` is taken by an update, so that seq order is commit order. */
export const session = pgTable(
  'session',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    externalId: text('external_id'),
    status: text('status').$type<'active' | 'ended'>().notNull().default('active'),
    lastSeq: bigint('last_seq', { mode: 'number' }).notNull().default(0),
    replayPolicy: jsonb('replay_policy').$type<ReplayPolicy>().notNull(),
    conversions: text('conversions').$type<'allow' | 'deny'>().notNull().default('allow'),
    metadata: jsonb('metadata').$type<Record<string, string | number | boolean | null>>().notNull().default({}),
    /** Session tokens name the generation in which they were made; those of an earlier one have ended. */
    tokenGeneration: integer('token_generation').notNull().default(1),
    createdAt: createdAt(),
    endedAt: time('ended_at'),
    expiresAt: time('expires_at'),
    legalHold: boolean('legal_hold').notNull().default(false),
    deletedAt: time('deleted_at'),
    /** Since then nothing of it is delivered: it killed gateway after gateway. */
    parkedAt: time('parked_at'),
    /** When its log and the timelines of its deliveries were removed, long after its end. */
    prunedAt: time('pruned_at'),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
    index('session_list').on(table.tenantId, table.createdAt, table.id).where(sql`deleted_at is null`),
    index('session_list_of_status')
      .on(table.tenantId, table.status, table.createdAt, table.id)
      .where(sql`deleted_at is null`),
    index('session_list_of_external_id')
      .on(table.tenantId, table.externalId, table.createdAt, table.id)
      .where(sql`deleted_at is null and external_id is not null`),
    index('session_parked').on(table.tenantId, table.id).where(sql`parked_at is not null`),
    index('session_prunable')
      .on(table.tenantId, table.endedAt)
      .where(sql`status = 'ended' and pruned_at is null and not legal_hold`),
  ],
);
