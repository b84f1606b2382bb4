import { type AttachmentId, type Failure, idFromUuid, type MessageId, uuidFromId } from '@attache/contracts';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { attachment, attachmentName, message, messageText } from '../schema.ts';

/** An attachment's row for a log: a deleted one still has its row. `name` is empty if it was erased. */
export type LoggedAttachment = Pick<
  typeof attachment.$inferSelect,
  'mimeType' | 'kind' | 'sizeBytes' | 'sha256' | 'status'
> & { name: string; failure?: Failure; isDeleted: boolean };

const hasText = and(eq(messageText.tenantId, message.tenantId), eq(messageText.messageId, message.id));

const ofSession = (sessionId: string, ids: readonly MessageId[]) =>
  and(eq(message.sessionId, sessionId), inArray(message.id, ids.map(uuidFromId)));

/** Sizes in bytes of the texts that these messages of a session still have. */
export async function readTextSizes(
  tx: Tx,
  sessionId: string,
  messageIds: readonly MessageId[],
): Promise<Map<MessageId, number>> {
  if (messageIds.length === 0) return new Map();
  const rows = await tx
    .select({ id: message.id, sizeBytes: sql<number>`octet_length(${messageText.text})` })
    .from(message)
    .innerJoin(messageText, hasText)
    .where(ofSession(sessionId, messageIds));
  return new Map(rows.map(({ id, sizeBytes }) => [idFromUuid('message', id), Number(sizeBytes)]));
}

/** The texts that these messages of a session still have. */
export async function readTexts(
  tx: Tx,
  sessionId: string,
  messageIds: readonly MessageId[],
): Promise<Map<MessageId, string>> {
  if (messageIds.length === 0) return new Map();
  const rows = await tx
    .select({ id: message.id, text: messageText.text })
    .from(message)
    .innerJoin(messageText, hasText)
    .where(ofSession(sessionId, messageIds));
  return new Map(rows.map(({ id, text }) => [idFromUuid('message', id), text]));
}

/** The tenant's attachments among these, also the deleted ones. */
export async function readLoggedAttachments(
  tx: Tx,
  attachmentIds: readonly AttachmentId[],
): Promise<Map<AttachmentId, LoggedAttachment>> {
  if (attachmentIds.length === 0) return new Map();
  const { id, mimeType, kind, sizeBytes, sha256, status, failure, deletedAt } = attachment;
  const rows = await tx
    .select({ id, mimeType, kind, sizeBytes, sha256, status, failure, deletedAt, name: attachmentName.name })
    .from(attachment)
    .leftJoin(
      attachmentName,
      and(eq(attachmentName.tenantId, attachment.tenantId), eq(attachmentName.attachmentId, attachment.id)),
    )
    .where(inArray(attachment.id, attachmentIds.map(uuidFromId)));
  return new Map(
    rows.map((row) => {
      const { id: uuid, failure: why, deletedAt: end, name, ...facts } = row;
      const logged = { ...facts, name: name ?? '', isDeleted: end !== null, ...(why === null ? {} : { failure: why }) };
      return [idFromUuid('attachment', uuid), logged];
    }),
  );
}
