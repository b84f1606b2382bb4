import type { Scope } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from '../columns.ts';
import { tenant } from '../tenancy/tenant-table.ts';

/** A tenant's credential. Only the hash of its secret is stored. */
export const apiKey = pgTable(
  'api_key',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    secretHash: text('secret_hash').notNull(),
    scopes: text('scopes').array().$type<Scope[]>().notNull(),
    trustedTrace: boolean('trusted_trace').notNull().default(false),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    lastUsedAt: time('last_used_at'),
    /** The key that this one replaces. */
    rotatedFrom: uuid('rotated_from'),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
    // A credential names no tenant.
    index('api_key_id').on(table.id),
    index('api_key_list').on(table.tenantId, table.createdAt, table.id),
    index('api_key_successor').on(table.tenantId, table.rotatedFrom).where(sql`rotated_from is not null`),
  ],
);
