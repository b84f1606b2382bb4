import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId } from '../columns.ts';
import { tenant } from './tenant-table.ts';

/** An origin whose pages may call the API with a credential of the tenant, as browsers spell it. */
export const tenantOrigin = pgTable(
  'tenant_origin',
  {
    tenantId: tenantId(),
    origin: text('origin').notNull(),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.origin] }),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
    // A preflight names no tenant.
    index('tenant_origin_lookup').on(table.origin),
  ],
);
