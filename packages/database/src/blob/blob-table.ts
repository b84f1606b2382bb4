import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, sizeBytes, tenantId, time } from '../columns.ts';
import { tenant } from '../tenancy/tenant-table.ts';

export type BlobState = 'reserved' | 'live' | 'condemned' | 'deleted';

/** Immutable bytes under an opaque random key. The row is written before the bytes, so that none is ever without an owner. */
export const blob = pgTable(
  'blob',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    key: text('key').notNull(),
    storeId: text('store_id').notNull(),
    encKeyId: text('enc_key_id').notNull().default('none'),
    state: text('state').$type<BlobState>().notNull().default('reserved'),
    reservedBytes: sizeBytes('reserved_bytes').notNull().default(0),
    /** Incarnation whose lease keeps the reservation; none where its process is the only one. */
    holder: uuid('holder'),
    /** Reserved in advance, for no upload in particular: it ends where an upload finds no room. */
    pooled: boolean('pooled').notNull().default(false),
    sizeBytes: sizeBytes('size_bytes'),
    sha256: text('sha256'),
    createdAt: createdAt(),
    condemnedAt: time('condemned_at'),
    /** When a later pass of the collection found it still without references. */
    confirmedAt: time('confirmed_at'),
    deletedAt: time('deleted_at'),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId], foreignColumns: [tenant.tenantId] }),
    // A store knows bytes by their key alone.
    index('blob_key').on(table.tenantId, table.key),
    index('blob_sha256').on(table.tenantId, table.sha256),
    index('blob_live').on(table.tenantId, table.id).where(sql`state = 'live'`),
    index('blob_collectable').on(table.tenantId, table.state, table.id).where(sql`state in ('reserved', 'condemned')`),
    index('blob_undeleted').on(table.tenantId, table.id).where(sql`state = 'deleted' and deleted_at is null`),
    // Blobs that never became live.
    index('blob_abandoned')
      .on(table.tenantId, table.id)
      .where(sql`state in ('reserved', 'condemned') and sha256 is null`),
    index('blob_unmeasured')
      .on(table.tenantId, table.id)
      .where(sql`sha256 is null and state = 'condemned' and size_bytes is null`),
    index('blob_holder').on(table.tenantId, table.holder).where(sql`state = 'reserved' and holder is not null`),
    index('blob_pooled').on(table.tenantId).where(sql`state = 'reserved' and pooled`),
    index('blob_unsettled').on(table.state, table.createdAt).where(sql`state in ('reserved', 'condemned')`),
  ],
);
