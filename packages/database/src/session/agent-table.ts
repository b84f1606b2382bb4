import type { AgentRole, AgentStatus, Runtime } from '@attache/contracts';
import type { Held } from '@attache/domain';
import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from '../columns.ts';
import { session } from './session-table.ts';

/** A named agent of a session with its resolved target. */
export const agent = pgTable(
  'agent',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    sessionId: uuid('session_id').notNull(),
    name: text('name').notNull(),
    role: text('role').$type<AgentRole>().notNull(),
    profile: text('profile').notNull(),
    runtime: text('runtime').$type<Runtime>().notNull(),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    /** Rises with each change of its target: a plan holds for one of them. */
    targetVersion: integer('target_version').notNull().default(1),
    status: text('status').$type<AgentStatus>().notNull().default('idle'),
    /** Rises with each deletion of a file that it could read: what its program remembers from before does not count any more. A trigger keeps it. */
    memoryVersion: integer('memory_version').notNull().default(0),
    /** When its subprocess started last: what was written since is what the runtime holds. */
    contextSince: time('context_since'),
    /** The content that its runtime holds, or will hold once all waiting deliveries are written; null before its first delivery. Triggers maintain it. */
    resident: jsonb('resident').$type<Held>(),
    /** Incarnation of the gateway that runs, or is about to run, its subprocess. It counts while that one owns the session. */
    liveBy: uuid('live_by'),
    createdAt: createdAt(),
    removedAt: time('removed_at'),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId, table.sessionId], foreignColumns: [session.tenantId, session.id] }),
    index('agent_of_session').on(table.tenantId, table.sessionId),
    index('agent_live').on(table.tenantId).where(sql`live_by is not null`),
    uniqueIndex('agent_name').on(table.tenantId, table.sessionId, table.name).where(sql`removed_at is null`),
  ],
);
