import type { Actor, CapabilityOverride } from '@attache/contracts';
import { foreignKey, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId } from '../columns.ts';
import { tenant } from './tenant-table.ts';

/** A tenant's statement about a profile's model, with its author and reason. */
export const capabilityOverride = pgTable(
  'capability_override',
  {
    tenantId: tenantId(),
    profile: text('profile').notNull(),
    model: text('model').notNull(),
    capability: jsonb('capability').$type<CapabilityOverride>().notNull(),
    reason: text('reason').notNull(),
    author: jsonb('author').$type<Actor>().notNull(),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.profile, table.model] }),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
  ],
);
