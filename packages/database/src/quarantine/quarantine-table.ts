import { boolean, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId } from '../columns.ts';
import { agent } from '../session/agent-table.ts';

/** Files that the model of an agent refused, and pictures that were set aside. They are taken out of all that its program sends from then on. */
export const quarantine = pgTable(
  'quarantine',
  {
    tenantId: tenantId(),
    agentId: uuid('agent_id').notNull(),
    /** Digest of the bytes as they left for the provider. */
    wireSha256: text('wire_sha256').notNull(),
    sessionId: uuid('session_id').notNull(),
    /** Null: it is no attachment; the agent's program found it by itself. */
    attachmentId: uuid('attachment_id'),
    /** The agent's target version when the part was refused: it does not count for another target. */
    targetVersion: integer('target_version').notNull(),
    code: text('code').notNull(),
    /** The provider did not say which part it refused: it was taken out with all that was new in its turn. */
    isGroup: boolean('is_group').notNull().default(false),
    /** Null: the model refused it, and all blocks with these bytes are out. Else it was set aside: so many of the first ones of the conversation are. */
    occurrences: integer('occurrences'),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.agentId, table.wireSha256] }),
    foreignKey({ columns: [table.tenantId, table.agentId], foreignColumns: [agent.tenantId, agent.id] }),
    index('quarantine_of_session').on(table.tenantId, table.sessionId),
  ],
);
