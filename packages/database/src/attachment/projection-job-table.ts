import type { Failure, Part, ProjectionPlan, TraceContext } from '@attache/contracts';
import { foreignKey, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId } from '../columns.ts';
import { session } from '../session/session-table.ts';

/** Plans that wait for their variants, for someone who calls a model API. Holds ids and references, neither text nor bytes. */
export const projectionJob = pgTable(
  'projection_job',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    sessionId: uuid('session_id').notNull(),
    plan: jsonb('plan').$type<ProjectionPlan>().notNull(),
    /** One for each item of the plan, in its order; null while it waits, or when it failed. */
    parts: jsonb('parts').$type<Part[]>(),
    failure: jsonb('failure').$type<Failure>(),
    trace: jsonb('trace').$type<TraceContext>(),
    state: text('state').$type<'waiting' | 'done' | 'failed'>().notNull().default('waiting'),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId, table.sessionId], foreignColumns: [session.tenantId, session.id] }),
    index('projection_job_of_session').on(table.tenantId, table.sessionId),
    index('projection_job_age').on(table.tenantId, table.createdAt),
  ],
);
