import type { AttachmentFacts, AttachmentKind, Failure, PageGap, Warning } from '@attache/contracts';
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { attachment } from '../schema.ts';
import { type NewEvent, toAppended, toEventRows } from '../session/append-events.ts';
import { lockUsage, RETRYABLE_FOR_MS } from '../tenancy/lock-usage.ts';

export type Inspection =
  | { status: 'ready'; mimeType: string; kind: AttachmentKind; facts: AttachmentFacts; warnings: Warning[] }
  | { status: 'rejected'; mimeType: string; kind: AttachmentKind; failure: Failure };

export type SettledInspection = {
  tenantId: string;
  /** Uuid. */
  attachmentId: string;
  sessionId: string;
  /** The event that asked for it: it is handled once. */
  eventId: string;
  inspection: Inspection;
  /** Key of the blob that was inspected, where it was not read from here: settled only if the attachment uses it. */
  seenKey?: string | undefined;
  /** Key of the blob whose bytes the store no longer has. */
  lostKey?: string | undefined;
  events: readonly NewEvent[];
};

/** The seq of its last event in the log, and the time of its transaction. */
type SettledAnswer = 'stale' | { lastSeq: number; at: string };

/**
 * Settles a pending attachment, in one round trip. Only the projector does; false: it is no longer pending, was handled before, or
 * uses another blob than `seenKey`.
 */
export async function settleInspection(db: Database, { events, ...settled }: SettledInspection): Promise<boolean> {
  const rows = toEventRows(events);
  const parameters = JSON.stringify({ ...settled, consumer: 'projector', tellsSeq: true, events: rows });
  const statement = sql`select attache_settle_inspection(${parameters}::jsonb)`;
  const { tenantId, sessionId } = settled;
  const appended = (answer: SettledAnswer) => (answer === 'stale' ? undefined : toAppended(settled, rows, answer));
  const answer = await db.call<SettledAnswer>(statement, { doorbells: [`log:${sessionId}`], appended, tenantId });
  return answer !== 'stale';
}

type NewGaps = { tenantId: string; attachmentId: string; gaps: readonly PageGap[] };

/** Adds pages to those of a document that cannot be drawn whole, so that nobody tries them again; what is said of a page last counts. */
export async function notePageGaps(db: Database, noted: NewGaps): Promise<void> {
  await db.call(sql`select attache_note_page_gaps(${JSON.stringify(noted)}::jsonb)`, { tenantId: noted.tenantId });
}

/** Rejects an attachment that is still pending. Returns its session; undefined: it was settled or deleted before. */
export async function rejectPending(tx: Tx, attachmentId: string, failure: Failure): Promise<string | undefined> {
  const [rejected] = await tx
    .update(attachment)
    .set({ status: 'rejected', failure, inspectedAt: sql`now()` })
    .where(and(eq(attachment.id, attachmentId), eq(attachment.status, 'pending'), isNull(attachment.deletedAt)))
    .returning({ sessionId: attachment.sessionId });
  return rejected?.sessionId;
}

/** Records that a file which is ready is read in another encoding. False: it is not ready, or gone. */
export async function recordReading(
  tx: Tx,
  attachmentId: string,
  { mimeType, kind, facts, warnings }: Omit<Extract<Inspection, { status: 'ready' }>, 'status'>,
): Promise<boolean> {
  const read = await tx
    .update(attachment)
    .set({ mimeType, kind, facts, warnings, inspectedAt: sql`now()` })
    .where(and(eq(attachment.id, attachmentId), eq(attachment.status, 'ready'), isNull(attachment.deletedAt)))
    .returning({ id: attachment.id });
  return read.length > 0;
}

/** Lets an attachment be inspected again that was rejected because of this dead letter. False: there is none. */
export async function takeRejectionBack(tx: Tx, attachmentId: string, letterId: string): Promise<boolean> {
  const pending = await tx
    .update(attachment)
    .set({ status: 'pending', failure: null, inspectedAt: null })
    .where(
      and(
        eq(attachment.id, attachmentId),
        eq(attachment.status, 'rejected'),
        isNull(attachment.deletedAt),
        sql`${attachment.failure}->'safeDetails'->>'deadLetter' = ${letterId}`,
      ),
    )
    .returning({ id: attachment.id });
  return pending.length > 0;
}

type DeletedAttachment = { id: string; sessionId: string };

/** Deletes an attachment; its blob becomes collectable unless something else uses it. Undefined: it was not there. */
export async function deleteAttachment(tx: Tx, attachmentId: string): Promise<DeletedAttachment | undefined> {
  const [gone] = await markDeleted(tx, [attachmentId]);
  if (!gone) return undefined;
  await condemn(tx, [gone.blobId]);
  return { id: gone.id, sessionId: gone.sessionId };
}

/** A blob that is deleted for every reader, and whose bytes are to be removed. */
export type DeletedBlob = { id: string; key: string };

/**
 * Deletes attachments that should never have been. Blobs that nothing else ever used are deleted with them; others become collectable. Returns
 * those that were there.
 */
export async function discardAttachments(
  tx: Tx,
  attachmentIds: readonly string[],
): Promise<{ attachments: DeletedAttachment[]; blobs: DeletedBlob[] }> {
  const attachments = await markDeleted(tx, attachmentIds);
  const blobs = await runStatement<DeletedBlob[]>(
    tx,
    sql`select attache_delete_unshared(${toArray(attachmentIds)}::uuid[], ${retryableSince()}::timestamptz)`,
  );
  await condemn(
    tx,
    attachments.map(({ blobId }) => blobId),
  );
  return { attachments, blobs };
}

const retryableSince = (): string => new Date(Date.now() - RETRYABLE_FOR_MS).toISOString();

const toArray = (ids: readonly string[]): string => `{${ids.join(',')}}`;

async function markDeleted(tx: Tx, ids: readonly string[]): Promise<(DeletedAttachment & { blobId: string })[]> {
  await lockUsage(tx);
  return tx
    .update(attachment)
    .set({ deletedAt: sql`now()` })
    .where(and(inArray(attachment.id, [...ids]), isNull(attachment.deletedAt)))
    .returning({ id: attachment.id, sessionId: attachment.sessionId, blobId: attachment.blobId });
}

/** Condemns the blobs that are still unused. */
async function condemn(tx: Tx, blobIds: readonly string[]): Promise<void> {
  await tx.execute(
    sql`select attache_condemn_blobs(${toArray(blobIds)}::uuid[], ${retryableSince()}::timestamptz, now()::timestamptz)`,
  );
}

/** Starts a new URL generation: every signed URL given so far ends. */
export async function raiseUrlGeneration(tx: Tx, attachmentId: string): Promise<void> {
  await tx
    .update(attachment)
    .set({ urlGeneration: sql`${attachment.urlGeneration} + 1` })
    .where(eq(attachment.id, attachmentId));
}
