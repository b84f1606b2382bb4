import type { Attachment, AttachmentId, MessageId, TranscriptAttachment } from '@attache/contracts';
import type { ReadEvent } from './read-event.ts';

/** An attachment's row: it stays when the attachment is deleted. */
export type RecordedAttachment = Pick<
  Attachment,
  'name' | 'mimeType' | 'kind' | 'sizeBytes' | 'sha256' | 'status' | 'failure'
> & { isDeleted: boolean };

/** The rows next to a log, which hold the data that its events name by id. Undefined if there is no such row. */
export type LogRecords = {
  textOf(messageId: MessageId): string | undefined;
  attachmentOf(attachmentId: AttachmentId): RecordedAttachment | undefined;
  /** False for a reader who may learn of a file only that it is there. */
  describesFiles?: boolean;
};

/** Lists the rows that a fold of these events reads: each once, in their order. */
export function listNames(events: Iterable<ReadEvent>): { messageIds: MessageId[]; attachmentIds: AttachmentId[] } {
  const messageIds = new Set<MessageId>();
  const attachmentIds = new Set<AttachmentId>();
  for (const event of events) {
    if (event.kind === 'message.accepted') messageIds.add(event.data.messageId);
    for (const id of attachmentsOf(event)) attachmentIds.add(id);
  }
  return { messageIds: [...messageIds], attachmentIds: [...attachmentIds] };
}

function attachmentsOf({ kind, ...event }: ReadEvent): readonly AttachmentId[] {
  if (kind === 'unreadable' || !('data' in event)) return [];
  const { data } = event;
  if ('attachmentIds' in data) return data.attachmentIds;
  if ('attachmentId' in data) return [data.attachmentId];
  return 'item' in data && data.item.type === 'media' ? [data.item.attachmentId] : [];
}

/** Describes an attachment as it is now: a deleted one only by its id. */
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
