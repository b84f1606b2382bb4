import {
  type Attachment,
  type AttachmentKind,
  type AttachmentOrigin,
  idFromUuid,
  type TraceContext,
  type Variant,
} from '@attache/contracts';
import { and, eq, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Tx } from './database.ts';
import { attachment, attachmentName, blob, variant } from './schema.ts';

type AttachmentRow = typeof attachment.$inferSelect;
type VariantRow = typeof variant.$inferSelect;

/** An attachment with what only the services know of it. */
export type StoredAttachment = {
  attachment: Attachment;
  id: string;
  sessionId: string;
  blobKey: string;
  urlGeneration: number;
  trace: TraceContext | null;
};

const selection = { row: attachment, name: attachmentName.name, blobKey: blob.key };

type FoundAttachment = { row: AttachmentRow; name: string; blobKey: string };

const hasName = and(eq(attachmentName.tenantId, attachment.tenantId), eq(attachmentName.attachmentId, attachment.id));
const hasBlob = and(eq(blob.tenantId, attachment.tenantId), eq(blob.id, attachment.blobId));
const hasVariant = and(eq(variant.tenantId, attachment.tenantId), eq(variant.sourceSha256, attachment.sha256));

export function describeVariant(row: VariantRow): Variant {
  return {
    id: idFromUuid('variant', row.id),
    purpose: row.purpose,
    mimeType: row.mimeType,
    sizeBytes: row.sizeBytes,
    sha256: row.sha256,
    ...(row.width === null ? {} : { width: row.width }),
    ...(row.height === null ? {} : { height: row.height }),
    ...(row.scale === null ? {} : { scale: row.scale }),
    ...(row.crop === null ? {} : { crop: row.crop }),
  };
}

function describeAttachment(row: AttachmentRow, name: string, variants: Variant[]): Attachment {
  return {
    id: idFromUuid('attachment', row.id),
    sessionId: idFromUuid('session', row.sessionId),
    name,
    mimeType: row.mimeType,
    ...(row.declaredMimeType === null ? {} : { declaredMimeType: row.declaredMimeType }),
    kind: row.kind,
    size: row.sizeBytes,
    sizeBytes: row.sizeBytes,
    sha256: row.sha256,
    origin: row.origin,
    ...(row.source === null ? {} : { source: row.source }),
    status: row.status,
    ...(row.failure === null ? {} : { failure: row.failure }),
    facts: row.facts,
    variants,
    warnings: row.warnings,
    createdAt: row.createdAt.toISOString(),
    schemaVersion: row.schemaVersion,
  };
}

function toStored({ row, name, blobKey }: FoundAttachment, variants: readonly VariantRow[]): StoredAttachment {
  return {
    attachment: describeAttachment(row, name, variants.map(describeVariant)),
    id: row.id,
    sessionId: row.sessionId,
    blobKey,
    urlGeneration: row.urlGeneration,
    trace: row.trace,
  };
}

/** An attachment by uuid; undefined where it is unknown, deleted or another tenant's. */
export async function findAttachment(tx: Tx, attachmentId: string): Promise<StoredAttachment | undefined> {
  return (await readAttachments(tx, [attachmentId]))[0];
}

/** The attachments among these uuids that exist here, in no particular order. In one statement, since every delivery needs it often. */
export async function readAttachments(tx: Tx, attachmentIds: readonly string[]): Promise<StoredAttachment[]> {
  if (attachmentIds.length === 0) return [];
  const joined = await tx
    .select({ ...selection, variant })
    .from(attachment)
    .innerJoin(attachmentName, hasName)
    .innerJoin(blob, hasBlob)
    .leftJoin(variant, hasVariant)
    .where(and(inArray(attachment.id, [...attachmentIds]), isNull(attachment.deletedAt)))
    .orderBy(variant.id);
  const byId = Map.groupBy(joined, ({ row }) => row.id);
  return [...byId.values()].flatMap((rows) => {
    const [found] = rows;
    const variants = rows.flatMap((row) => row.variant ?? []);
    return found ? [toStored(found, variants)] : [];
  });
}

export type AttachmentQuery = {
  sessionId: string;
  origin?: AttachmentOrigin | undefined;
  kind?: AttachmentKind | undefined;
  /** Part of the name, in any case. */
  name?: string | undefined;
  /** The last item of the page before. */
  after?: { createdAt: Date; id: string } | undefined;
  limit: number;
};

const escapeLike = (text: string) => text.replace(/[\\%_]/g, (char) => `\\${char}`);

function conditionsOf(query: AttachmentQuery): (SQL | undefined)[] {
  const { after } = query;
  return [
    eq(attachment.sessionId, query.sessionId),
    isNull(attachment.deletedAt),
    query.origin && eq(attachment.origin, query.origin),
    query.kind && eq(attachment.kind, query.kind),
    query.name === undefined ? undefined : sql`${attachmentName.name} ilike ${`%${escapeLike(query.name)}%`}`,
    after &&
      or(
        gt(attachment.createdAt, after.createdAt),
        and(eq(attachment.createdAt, after.createdAt), gt(attachment.id, after.id)),
      ),
  ];
}

/** Attachments of a session, oldest first (AT-08). */
export async function listAttachments(tx: Tx, query: AttachmentQuery): Promise<StoredAttachment[]> {
  const found = await tx
    .select(selection)
    .from(attachment)
    .innerJoin(attachmentName, hasName)
    .innerJoin(blob, hasBlob)
    .where(and(...conditionsOf(query)))
    .orderBy(attachment.createdAt, attachment.id)
    .limit(query.limit);
  if (found.length === 0) return [];
  const digests = [...new Set(found.map(({ row }) => row.sha256))];
  const variants = await tx.select().from(variant).where(inArray(variant.sourceSha256, digests)).orderBy(variant.id);
  return found.map((one) =>
    toStored(
      one,
      variants.filter(({ sourceSha256 }) => sourceSha256 === one.row.sha256),
    ),
  );
}

/** Blob key and facts of a variant of these source bytes. */
export async function findVariant(
  tx: Tx,
  variantId: string,
): Promise<{ variant: Variant; sourceSha256: string; blobKey: string } | undefined> {
  const [found] = await tx
    .select({ row: variant, blobKey: blob.key })
    .from(variant)
    .innerJoin(blob, and(eq(blob.tenantId, variant.tenantId), eq(blob.id, variant.blobId)))
    .where(eq(variant.id, variantId));
  return found && { variant: describeVariant(found.row), sourceSha256: found.row.sourceSha256, blobKey: found.blobKey };
}
