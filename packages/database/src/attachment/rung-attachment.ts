import { type Attachment, attachmentSchema, type TraceContext, uuidFromId } from '@attache/contracts';
import type { StoredAttachment } from './attachment-reader.ts';

/** What a ring for a new attachment brings of it. */
export type RungAttachment = {
  attachment: Attachment;
  blobKey: string;
  /** Public id of whoever brought it in. */
  uploadedBy: string;
  trace?: TraceContext | undefined;
};

/**
 * The attachment that came with a ring; undefined where it is not the one that was rung for, or not as a new one is. It may be old or forged, so that
 * its inspection is settled only where the database has the same blob (`seenKey`).
 */
export function readRungAttachment(
  head: unknown,
  rung: { sessionId: string; attachmentId: string },
): StoredAttachment | undefined {
  const { attachment: given, blobKey, uploadedBy, trace } = (head ?? {}) as Partial<RungAttachment>;
  const { success, data: attachment } = attachmentSchema.safeParse(given);
  if (!success || typeof blobKey !== 'string' || typeof uploadedBy !== 'string') return undefined;
  const { attachmentId: id, sessionId } = rung;
  const isOfRing = uuidFromId(attachment.id) === id && uuidFromId(attachment.sessionId) === sessionId;
  if (!isOfRing || attachment.status !== 'pending' || attachment.variants.length > 0) return undefined;
  return {
    // A new one has signed URLs of the first generation.
    ...{ attachment, id, sessionId, blobKey, uploadedBy, urlGeneration: 1 },
    ...{ trace: trace ?? null, variantKeys: new Map() },
  };
}
