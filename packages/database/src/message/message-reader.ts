import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { message, messageAttachment, messageText } from '../schema.ts';

/** An accepted message, by uuids. `text` is empty where it was erased. */
export type StoredMessage = { id: string; text: string; attachmentIds: string[] };

/** The messages among these uuids that a session has, in no particular order. */
export async function readMessages(tx: Tx, sessionId: string, messageIds: readonly string[]): Promise<StoredMessage[]> {
  const ids = [...messageIds];
  const rows = await tx
    .select({ id: message.id, text: messageText.text })
    .from(message)
    .leftJoin(messageText, and(eq(messageText.tenantId, message.tenantId), eq(messageText.messageId, message.id)))
    .where(and(eq(message.sessionId, sessionId), inArray(message.id, ids)));
  const named = await tx
    .select({ messageId: messageAttachment.messageId, attachmentId: messageAttachment.attachmentId })
    .from(messageAttachment)
    .where(inArray(messageAttachment.messageId, ids))
    .orderBy(asc(messageAttachment.position));
  const byMessage = Map.groupBy(named, ({ messageId }) => messageId);
  return rows.map(({ id, text }) => ({
    id,
    text: text ?? '',
    attachmentIds: (byMessage.get(id) ?? []).map(({ attachmentId }) => attachmentId),
  }));
}

export type FoundMessage = StoredMessage & { sessionId: string; createdAt: Date; schemaVersion: number };

/** A message by uuid; undefined where it is unknown or another tenant's. */
export async function findMessage(tx: Tx, messageId: string): Promise<FoundMessage | undefined> {
  const [row] = await tx.select().from(message).where(eq(message.id, messageId));
  if (!row) return undefined;
  const { sessionId, createdAt, schemaVersion } = row;
  const [stored] = await readMessages(tx, sessionId, [messageId]);
  return stored && { ...stored, sessionId, createdAt, schemaVersion };
}
