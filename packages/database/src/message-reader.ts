import { eq } from 'drizzle-orm';
import type { Tx } from './database.ts';
import { messageAttachment, messageText } from './schema.ts';

/** Text and named attachments of a message; undefined where its text was erased. */
export async function readMessageContent(
  tx: Tx,
  messageId: string,
): Promise<{ text: string; attachmentIds: string[] } | undefined> {
  const [content] = await tx.select().from(messageText).where(eq(messageText.messageId, messageId));
  if (!content) return undefined;
  const named = await tx
    .select({ attachmentId: messageAttachment.attachmentId })
    .from(messageAttachment)
    .where(eq(messageAttachment.messageId, messageId))
    .orderBy(messageAttachment.position);
  return { text: content.text, attachmentIds: named.map((row) => row.attachmentId) };
}
