import type { Attachment, AttachmentId, VariantId } from '@attache/contracts';

/** Verified bytes of an attachment that an agent got from a tool. */
export type HandedBytes = { variantId?: VariantId | undefined; sha256: string; sizeBytes: number };

/** The bytes that an agent got from its tools during one turn, by attachment. */
export type HandedOut = ReadonlyMap<AttachmentId, HandedBytes>;

/** Keeps the bytes that a receipt names for an attachment: its own, once the agent got those; otherwise the last that it got. */
export function noteHandedOut(
  handedOut: Map<AttachmentId, HandedBytes>,
  { id, sha256 }: Pick<Attachment, 'id' | 'sha256'>,
  bytes: HandedBytes,
): void {
  if (handedOut.get(id)?.sha256 !== sha256) handedOut.set(id, bytes);
}
