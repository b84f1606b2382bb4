import { type Attachment, attachmentSchema, type TraceContext, uuidFromId } from '@attache/contracts';
import type { StoredAttachment } from './attachment-reader.ts';

/** The data of a new attachment that its ring brings. */
export type RungAttachment = {
  attachment: Attachment;
  blobKey: string;
  /** Public id of the uploader. */
  uploadedBy: string;
  trace?: TraceContext | undefined;
};

/**
 * The attachment that came with a ring; undefined if it is another one than the ring's, or not in the state of a new one. It may be old or forged, so its
 * inspection is settled only if the database has the same blob (`seenKey`).
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
