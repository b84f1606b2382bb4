import { bigint, date, foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { schemaVersion, tenantId } from '../columns.ts';
import { tenant } from '../tenancy/tenant-table.ts';

const count = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

/** The counts of both tables. Cached input is part of the input. */
const counts = () => ({
  requests: count('requests'),
  /** The requests for which no provider returned counts. */
  uncountedRequests: count('uncounted_requests'),
  inputTokens: count('input_tokens'),
  cachedInputTokens: count('cached_input_tokens'),
  outputTokens: count('output_tokens'),
});

/** An agent's use of a model on one day in UTC. It outlives session and agent, which it only names. */
export const modelUse = pgTable(
  'model_use',
  {
    tenantId: tenantId(),
    day: date('day', { mode: 'string' }).notNull(),
    sessionId: uuid('session_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    ...counts(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({
      columns: [table.tenantId, table.day, table.sessionId, table.agentId, table.provider, table.model],
    }),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
    index('model_use_of_session').on(table.tenantId, table.sessionId, table.day),
  ],
);

/** The sum of a tenant's day, so that a message costs one look at one row. */
export const dayUse = pgTable(
  'day_use',
  {
    tenantId: tenantId(),
    day: date('day', { mode: 'string' }).notNull(),
    ...counts(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.day] }),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
  ],
);
