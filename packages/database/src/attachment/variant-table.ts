import type { VariantPurpose, Warning } from '@attache/contracts';
import {
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { blob } from '../blob/blob-table.ts';
import { createdAt, schemaVersion, sizeBytes, tenantId } from '../columns.ts';

/** Derived bytes. The id is a hash of tenant, source digest and recipe, so that a retry adds nothing. */
export const variant = pgTable(
  'variant',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    sourceSha256: text('source_sha256').notNull(),
    blobId: uuid('blob_id').notNull(),
    purpose: text('purpose').$type<VariantPurpose>().notNull(),
    recipe: text('recipe').notNull(),
    mimeType: text('mime_type').notNull(),
    sizeBytes: sizeBytes('size_bytes').notNull(),
    sha256: text('sha256').notNull(),
    width: integer('width'),
    height: integer('height'),
    scale: doublePrecision('scale'),
    page: integer('page'),
    crop: jsonb('crop').$type<{ x: number; y: number; width: number; height: number }>(),
    warnings: jsonb('warnings').$type<Warning[]>().notNull().default([]),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId, table.blobId], foreignColumns: [blob.tenantId, blob.id] }),
    index('variant_of_source').on(table.tenantId, table.sourceSha256),
    index('variant_of_blob').on(table.tenantId, table.blobId),
  ],
);
