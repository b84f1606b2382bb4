import { type AttachmentId, Fault, idFromUuid, type ProjectionRequest, uuidFromId } from '@attache/contracts';
import { findSession, readMessages } from '@attache/database';
import { countKept } from '@attache/domain';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { sessionNotFound } from '../not-found.ts';

/** `isKept`: its attachments are projected; otherwise they are only described. */
export type SourceMessage = { text: string; attachmentIds: AttachmentId[]; isKept: boolean };

export type ProjectionSource = { messages: SourceMessage[]; isHistory: boolean };

const messageNotFound = (): Fault => new Fault('MESSAGE_NOT_FOUND', 'There is no such message in this session.');

/** Reads the source of a projection: earlier messages in the order of their ids, or a draft. Neither and both are refused. */
export async function readProjectionSource(
  deps: Pick<IngestDeps, 'db'>,
  { tenantId }: Caller,
  sessionId: string,
  { messageIds, text, attachmentIds }: ProjectionRequest,
): Promise<ProjectionSource> {
  const isDraft = text !== undefined || attachmentIds !== undefined;
  if (isDraft === (messageIds !== undefined)) {
    throw new Fault('INVALID_REQUEST', 'Name either messageIds, or a text and attachmentIds: one of both.');
  }
  return deps.db.asTenant(tenantId, async (tx) => {
    const session = await findSession(tx, sessionId);
    if (!session) throw sessionNotFound();
    if (messageIds === undefined) {
      const named = [...new Set(attachmentIds ?? [])];
      return { messages: [{ text: text ?? '', attachmentIds: named, isKept: true }], isHistory: false };
    }
    const ids = [...new Set(messageIds)].map(uuidFromId);
    const byId = new Map((await readMessages(tx, sessionId, ids)).map((message) => [message.id, message]));
    const firstKept = ids.length - countKept(session.replayPolicy, ids.length);
    const messages = ids.map((id, index): SourceMessage => {
      const message = byId.get(id);
      if (!message) throw messageNotFound();
      const ofMessage = message.attachmentIds.map((attachment) => idFromUuid('attachment', attachment));
      return { text: message.text, attachmentIds: ofMessage, isKept: index >= firstKept };
    });
    return { messages, isHistory: true };
  });
}
