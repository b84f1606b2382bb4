import type { AttachmentFacts, AttachmentKind, Failure, Warning } from '@attache/contracts';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { type NewEvent, toEventRows } from './append-events.ts';
import type { Database, Tx } from './database.ts';
import { lockUsage, RETRYABLE_FOR_MS } from './lock-usage.ts';
import { runStatement } from './run-statement.ts';
import { attachment } from './schema.ts';

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
  /** Key of the blob whose bytes the store no longer has. */
  lostKey?: string | undefined;
  events: readonly NewEvent[];
};

/** Settles a pending attachment, in one round trip. Only the projector does; false: it is no longer pending, or was handled before. */
export async function settleInspection(db: Database, { events, ...settled }: SettledInspection): Promise<boolean> {
  const parameters = JSON.stringify({ ...settled, consumer: 'projector', events: JSON.parse(toEventRows(events)) });
  const statement = sql`select attache_settle_inspection(${parameters}::jsonb)`;
  return (await db.call<'settled' | 'stale'>(statement, [`log:${settled.sessionId}`])) === 'settled';
}

/** Deletes an attachment; its blob becomes collectable unless something else uses it. Undefined: it was not there. */
export async function deleteAttachment(tx: Tx, attachmentId: string): Promise<{ sessionId: string } | undefined> {
  const gone = await markDeleted(tx, attachmentId);
  if (!gone) return undefined;
  await condemn(tx, gone.blobId);
  return { sessionId: gone.sessionId };
}

const retryableSince = (): string => new Date(Date.now() - RETRYABLE_FOR_MS).toISOString();

async function markDeleted(tx: Tx, attachmentId: string) {
  await lockUsage(tx);
  const [gone] = await tx
    .update(attachment)
    .set({ deletedAt: sql`now()` })
    .where(and(eq(attachment.id, attachmentId), isNull(attachment.deletedAt)))
    .returning({ sessionId: attachment.sessionId, blobId: attachment.blobId });
  return gone;
}

async function condemn(tx: Tx, blobId: string): Promise<void> {
  await tx.execute(
    sql`select attache_condemn_blobs(array[${blobId}::uuid], ${retryableSince()}::timestamptz, now()::timestamptz)`,
  );
}

/** A blob that is deleted for every reader, and whose bytes are to be removed. */
export type DeletedBlob = { id: string; key: string };

/**
 * Deletes an attachment that should never have been. Its blob is deleted with it where nothing else ever used it; else it becomes collectable as
 * by `deleteAttachment`. Undefined: it was not there.
 */
export async function discardAttachment(
  tx: Tx,
  attachmentId: string,
): Promise<{ sessionId: string; blob: DeletedBlob | null } | undefined> {
  const gone = await markDeleted(tx, attachmentId);
  if (!gone) return undefined;
  const blob = await runStatement<DeletedBlob | null>(
    tx,
    sql`select attache_delete_unshared(${attachmentId}::uuid, ${retryableSince()}::timestamptz)`,
  );
  if (blob === null) await condemn(tx, gone.blobId);
  return { sessionId: gone.sessionId, blob };
}

/** Starts a new URL generation: every signed URL given so far ends. */
export async function raiseUrlGeneration(tx: Tx, attachmentId: string): Promise<void> {
  await tx
    .update(attachment)
    .set({ urlGeneration: sql`${attachment.urlGeneration} + 1` })
    .where(eq(attachment.id, attachmentId));
}
