import { foreignKey, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from '../columns.ts';
import { tenant } from '../tenancy/tenant-table.ts';

/** A tenant's own secret, sealed (RFC 9180) to the key of `kid`, which the database does not have. */
export const tenantSecret = pgTable(
  'tenant_secret',
  {
    tenantId: tenantId(),
    name: text('name').notNull(),
    /** Counts what was saved under this name. What is sealed for one version opens in no other. */
    version: integer('version').notNull(),
    kid: text('kid').notNull(),
    /** Both base64url. */
    enc: text('enc').notNull(),
    ciphertext: text('ciphertext').notNull(),
    createdAt: createdAt(),
    updatedAt: time('updated_at').notNull().defaultNow(),
    lastUsedAt: time('last_used_at'),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.name] }),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
  ],
);
