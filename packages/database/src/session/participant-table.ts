import type { Right } from '@attache/contracts';
import { foreignKey, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId } from '../columns.ts';
import { tenant } from '../tenancy/tenant-table.ts';
import { session } from './session-table.ts';

/** A user of the tenant. The external id can be erased on its own. */
export const tenantUser = pgTable(
  'tenant_user',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    externalUserId: text('external_user_id').notNull(),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    unique().on(table.tenantId, table.externalUserId),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
  ],
);

/** A user's rights in one session. */
export const participant = pgTable(
  'participant',
  {
    tenantId: tenantId(),
    sessionId: uuid('session_id').notNull(),
    userId: uuid('user_id').notNull(),
    rights: text('rights').array().$type<Right[]>().notNull(),
    /** The same as the session's, for this participant alone. */
    tokenGeneration: integer('token_generation').notNull().default(1),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.sessionId, table.userId] }),
    foreignKey({ columns: [table.tenantId, table.sessionId], foreignColumns: [session.tenantId, session.id] }),
    foreignKey({ columns: [table.tenantId, table.userId], foreignColumns: [tenantUser.tenantId, tenantUser.id] }),
    index('participant_of_user').on(table.tenantId, table.userId),
  ],
);
