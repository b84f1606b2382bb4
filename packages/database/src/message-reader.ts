import { eq } from 'drizzle-orm';
import type { Tx } from './database.ts';
import { messageAttachment, messageText } from './schema.ts';

/** Text and named attachments of a message; undefined where its text was erased. */
export async function readMessageContent(
  tx: Tx,
  messageId: string,
): Promise<{ text: string; attachmentIds: string[] } | undefined> {
  const [[content], named] = await Promise.all([
    tx.select().from(messageText).where(eq(messageText.messageId, messageId)),
    tx
      .select({ attachmentId: messageAttachment.attachmentId })
      .from(messageAttachment)
      .where(eq(messageAttachment.messageId, messageId))
      .orderBy(messageAttachment.position),
  ]);
  if (!content) return undefined;
  return { text: content.text, attachmentIds: named.map((row) => row.attachmentId) };
}
