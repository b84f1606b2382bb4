import type {
  AttachmentFacts,
  AttachmentKind,
  AttachmentOrigin,
  AttachmentSource,
  AttachmentStatus,
  Failure,
  TraceContext,
  Warning,
} from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { blob } from '../blob/blob-table.ts';
import { createdAt, schemaVersion, sizeBytes, tenantId, time } from '../columns.ts';
import { session } from '../session/session-table.ts';

/** A session's named use of a blob. `trace` is the span that created it, for links from its deliveries. */
export const attachment = pgTable(
  'attachment',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    sessionId: uuid('session_id').notNull(),
    blobId: uuid('blob_id').notNull(),
    declaredMimeType: text('declared_mime_type'),
    mimeType: text('mime_type').notNull(),
    kind: text('kind').$type<AttachmentKind>().notNull(),
    sizeBytes: sizeBytes('size_bytes').notNull(),
    sha256: text('sha256').notNull(),
    origin: text('origin').$type<AttachmentOrigin>().notNull(),
    source: text('source').$type<AttachmentSource>(),
    status: text('status').$type<AttachmentStatus>().notNull().default('pending'),
    failure: jsonb('failure').$type<Failure>(),
    facts: jsonb('facts').$type<AttachmentFacts>().notNull().default({}),
    warnings: jsonb('warnings').$type<Warning[]>().notNull().default([]),
    /** Public id of the uploader; null for an attachment from before this was kept. */
    uploadedBy: text('uploaded_by'),
    urlGeneration: integer('url_generation').notNull().default(1),
    trace: jsonb('trace').$type<TraceContext>(),
    createdAt: createdAt(),
    inspectedAt: time('inspected_at'),
    expiresAt: time('expires_at'),
    legalHold: boolean('legal_hold').notNull().default(false),
    deletedAt: time('deleted_at'),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId, table.sessionId], foreignColumns: [session.tenantId, session.id] }),
    foreignKey({ columns: [table.tenantId, table.blobId], foreignColumns: [blob.tenantId, blob.id] }),
    index('attachment_of_session').on(table.tenantId, table.sessionId, table.createdAt, table.id),
    index('attachment_of_kind').on(table.tenantId, table.sessionId, table.kind, table.createdAt, table.id),
    // A signed URL names no tenant.
    index('attachment_id').on(table.id),
    index('attachment_of_blob').on(table.tenantId, table.blobId),
    index('attachment_of_digest').on(table.tenantId, table.sha256),
  ],
);

/** Names are content: they are in a table of their own, so that they can be erased separately. */
export const attachmentName = pgTable(
  'attachment_name',
  {
    tenantId: tenantId(),
    attachmentId: uuid('attachment_id').notNull(),
    sessionId: uuid('session_id').notNull(),
    name: text('name').notNull(),
    /** The form of the name for case-insensitive search; see `foldName`. */
    foldedName: text('folded_name').notNull(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.attachmentId] }),
    foreignKey({ columns: [table.tenantId, table.attachmentId], foreignColumns: [attachment.tenantId, attachment.id] }),
    // Without a list of what is still to be put in: every look-up would read all of that.
    index('attachment_name_grams')
      .using('gin', sql`attache_name_grams(session_id, folded_name)`)
      .with({ fastupdate: false }),
  ],
);
