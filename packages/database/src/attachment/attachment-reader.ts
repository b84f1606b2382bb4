import {
  type Attachment,
  type AttachmentKind,
  type AttachmentOrigin,
  idFromUuid,
  type TraceContext,
  type Variant,
} from '@attache/contracts';
import { and, eq, exists, isNull, type SQL, sql } from 'drizzle-orm';
import { type JsonRow, rowFromJson } from '../connection/json-row.ts';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { accessGrant, attachment, attachmentName, blob, variant } from '../schema.ts';
import { foldName } from './fold-name.ts';
import { isValidGrant } from './grant-reader.ts';

type AttachmentRow = typeof attachment.$inferSelect;
type VariantRow = typeof variant.$inferSelect;

/** An attachment with what only the services know of it. */
export type StoredAttachment = {
  attachment: Attachment;
  id: string;
  sessionId: string;
  blobKey: string;
  /** Public id of the uploader; null if that was not kept. */
  uploadedBy: string | null;
  urlGeneration: number;
  trace: TraceContext | null;
  /** Blob keys of its variants, by their public ids. */
  variantKeys: ReadonlyMap<string, string>;
};

/** A row of `attache_stored_attachments`. */
export type FoundAttachment = {
  row: JsonRow;
  name: string;
  blobKey: string;
  variants: { row: JsonRow; blobKey: string }[];
};

const hasName = and(eq(attachmentName.tenantId, attachment.tenantId), eq(attachmentName.attachmentId, attachment.id));

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
    ...(row.page === null ? {} : { page: row.page }),
    ...(row.warnings.length > 0 && { warnings: row.warnings }),
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

export function toStored({ row: json, name, blobKey, variants }: FoundAttachment): StoredAttachment {
  const row = rowFromJson(attachment, json);
  const described = variants.map((found) => describeVariant(rowFromJson(variant, found.row)));
  return {
    attachment: describeAttachment(row, name, described),
    id: row.id,
    sessionId: row.sessionId,
    blobKey,
    uploadedBy: row.uploadedBy,
    urlGeneration: row.urlGeneration,
    trace: row.trace,
    variantKeys: new Map(described.map(({ id }, index) => [id, variants[index]?.blobKey ?? ''])),
  };
}

/** The variant that an attachment has by this uuid, as far as was read with it. */
export function findKnownVariant(
  { attachment: { variants } }: StoredAttachment,
  variantUuid: string,
): Variant | undefined {
  const id = idFromUuid('variant', variantUuid);
  return variants.find((variant) => variant.id === id);
}

const toUuidList = (ids: readonly string[]): string => `{${ids.join(',')}}`;

/** An attachment by uuid; undefined where it is unknown, deleted or another tenant's. */
export async function findAttachment(tx: Tx, attachmentId: string): Promise<StoredAttachment | undefined> {
  return (await readAttachments(tx, [attachmentId]))[0];
}

/** Whether there is such an attachment: false once it is deleted. */
export async function hasAttachment(tx: Tx, attachmentId: string): Promise<boolean> {
  const isHere = and(eq(attachment.id, attachmentId), isNull(attachment.deletedAt));
  return (await tx.select({ id: attachment.id }).from(attachment).where(isHere)).length > 0;
}

/** The attachments among these uuids that exist here, in no particular order. */
export async function readAttachments(tx: Tx, attachmentIds: readonly string[]): Promise<StoredAttachment[]> {
  if (attachmentIds.length === 0) return [];
  const statement = sql`select attache_stored_attachments(${toUuidList(attachmentIds)}::uuid[])`;
  return (await runStatement<FoundAttachment[]>(tx, statement)).map(toStored);
}

/** The same in one round trip, outside any transaction. */
export async function readStoredAttachments(
  db: Database,
  tenantId: string,
  attachmentIds: readonly string[],
): Promise<StoredAttachment[]> {
  const statement = sql`select attache_read_attachments(${tenantId}::uuid, ${toUuidList(attachmentIds)}::uuid[])`;
  return (await db.call<FoundAttachment[]>(statement, { tenantId })).map(toStored);
}

export type AttachmentQuery = {
  sessionId: string;
  origin?: AttachmentOrigin | undefined;
  kind?: AttachmentKind | undefined;
  /** Part of the name, in any case. */
  name?: string | undefined;
  /** Only what this agent may read now; its uuid. */
  grantedTo?: string | undefined;
  /** The last item of the page before. */
  after?: { createdAt: Date; id: string } | undefined;
  limit: number;
};

const isOfAttachment = and(eq(accessGrant.tenantId, attachment.tenantId), eq(accessGrant.attachmentId, attachment.id));

const grantsOf = (tx: Tx, agentId: string) =>
  tx
    .select({ id: accessGrant.id })
    .from(accessGrant)
    .where(and(isOfAttachment, eq(accessGrant.agentId, agentId), isValidGrant));

/** `named`: those of its session that have the name, where they are few. */
function conditionsOf(tx: Tx, query: AttachmentQuery, named: readonly string[] | undefined): (SQL | undefined)[] {
  const { after, name = '' } = query;
  return [
    named ? sql`${attachment.id} = any(${toUuidList(named)}::uuid[])` : eq(attachment.sessionId, query.sessionId),
    isNull(attachment.deletedAt),
    query.origin && eq(attachment.origin, query.origin),
    query.kind && eq(attachment.kind, query.kind),
    named || name === '' ? undefined : sql`strpos(${attachmentName.foldedName}, ${foldName(name)}) > 0`,
    query.grantedTo === undefined ? undefined : exists(grantsOf(tx, query.grantedTo)),
    // A comparison of rows, which one look into the index answers.
    after &&
      sql`(${attachment.createdAt}, ${attachment.id}) > (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
  ];
}

// If more attachments match, reading the list in its order finds a page sooner.
const MOST_NAMED = 500;

/** Attachments of a session whose name holds this, by an index; undefined where they are many. */
async function findNamed(tx: Tx, { sessionId, name }: AttachmentQuery): Promise<string[] | undefined> {
  if (name === undefined || name === '') return undefined;
  const statement = sql`select to_jsonb(attache_find_named(${sessionId}::uuid, ${foldName(name)}, ${MOST_NAMED}))`;
  return (await runStatement<string[] | null>(tx, statement)) ?? undefined;
}

/** Attachments of a session, oldest first (AT-08). */
export async function listAttachments(tx: Tx, query: AttachmentQuery): Promise<StoredAttachment[]> {
  const named = await findNamed(tx, query);
  if (named?.length === 0) return [];
  const page = await tx
    .select({ id: attachment.id })
    .from(attachment)
    .innerJoin(attachmentName, hasName)
    .where(and(...conditionsOf(tx, query, named)))
    .orderBy(attachment.createdAt, attachment.id)
    .limit(query.limit);
  const found = await readAttachments(
    tx,
    page.map(({ id }) => id),
  );
  const byId = new Map(found.map((stored) => [stored.id, stored]));
  return page.flatMap(({ id }) => byId.get(id) ?? []);
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
