import type { Actor } from '@attache/contracts';
import { v4 as uuidV4 } from 'uuid';
import type { Tx } from './database.ts';
import { accessGrant, message, messageAttachment, messageText } from './schema.ts';

export type NewMessage = {
  tenantId: string;
  id: string;
  sessionId: string;
  sender: Actor;
  text: string;
  attachmentIds: readonly string[];
  createdAt: Date;
};

/** A message with its text and the ids it names. */
export async function insertMessage(tx: Tx, { text, attachmentIds, ...row }: NewMessage): Promise<void> {
  await tx.insert(message).values(row);
  await tx.insert(messageText).values({ tenantId: row.tenantId, messageId: row.id, text });
  if (attachmentIds.length === 0) return;
  await tx.insert(messageAttachment).values(
    attachmentIds.map((attachmentId, position) => ({
      tenantId: row.tenantId,
      messageId: row.id,
      position,
      attachmentId,
    })),
  );
}

export type NewGrant = {
  tenantId: string;
  sessionId: string;
  attachmentId: string;
  agentId: string;
  messageId: string | null;
};

/** Naming an attachment in a message to an agent is a grant (SR-28). Answers the uuids, in order. */
export async function insertGrants(tx: Tx, grants: readonly NewGrant[]): Promise<string[]> {
  const rows = grants.map((grant) => ({ ...grant, id: uuidV4() }));
  if (rows.length > 0) await tx.insert(accessGrant).values(rows);
  return rows.map((row) => row.id);
}
