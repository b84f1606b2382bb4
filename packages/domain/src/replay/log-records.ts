import type { Attachment, AttachmentId, MessageId, TranscriptAttachment } from '@attache/contracts';
import type { ReadEvent } from './read-event.ts';

/** An attachment's row: it stays when the attachment is deleted. */
export type RecordedAttachment = Pick<
  Attachment,
  'name' | 'mimeType' | 'kind' | 'sizeBytes' | 'sha256' | 'status' | 'failure'
> & { isDeleted: boolean };

/** The rows beside a log, which hold what its events name by id. Undefined where there is none. */
export type LogRecords = {
  textOf(messageId: MessageId): string | undefined;
  attachmentOf(attachmentId: AttachmentId): RecordedAttachment | undefined;
  /** False for a reader who may learn of a file only that it is there. */
  describesFiles?: boolean;
};

/** Whose rows a fold of these events looks at: each once, in their order. */
export function listNames(events: Iterable<ReadEvent>): { messageIds: MessageId[]; attachmentIds: AttachmentId[] } {
  const messageIds = new Set<MessageId>();
  const attachmentIds = new Set<AttachmentId>();
  for (const event of events) {
    if (event.kind === 'message.accepted') messageIds.add(event.data.messageId);
    for (const id of attachmentsOf(event)) attachmentIds.add(id);
  }
  return { messageIds: [...messageIds], attachmentIds: [...attachmentIds] };
}

function attachmentsOf(event: ReadEvent): readonly AttachmentId[] {
  switch (event.kind) {
    case 'message.accepted':
      return event.data.attachmentIds;
    case 'agent.output':
      return event.data.item.type === 'media' ? [event.data.item.attachmentId] : [];
    case 'resource.viewed':
    case 'attachment.added':
    case 'attachment.ready':
    case 'attachment.rejected':
    case 'attachment.deleted':
    case 'attachment.quarantined':
    case 'attachment.quarantine_ended':
      return [event.data.attachmentId];
    default:
      return [];
  }
}

/** What may be said of an attachment now: of a deleted one nothing but its id. */
export function describeRecorded(
  id: AttachmentId,
  { attachmentOf, describesFiles = true }: LogRecords,
): TranscriptAttachment {
  const row = attachmentOf(id);
  if (row === undefined) return { id, status: 'unknown' };
  if (row.isDeleted) return { id, status: 'deleted' };
  const { name, mimeType, kind, sizeBytes, sha256, status, failure } = row;
  if (!describesFiles) return { id, status };
  return {
    id,
    status,
    name,
    mimeType,
    kind,
    sizeBytes,
    sha256,
    ...(failure === undefined ? {} : { failureCode: failure.code }),
  };
}
