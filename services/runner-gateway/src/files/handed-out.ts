import type { Attachment, AttachmentId, VariantId } from '@attache/contracts';

/** Verified bytes of an attachment that an agent got from a tool. */
export type HandedBytes = { variantId?: VariantId | undefined; sha256: string; sizeBytes: number };

/** What an agent got from its tools during one turn, by attachment. */
export type HandedOut = ReadonlyMap<AttachmentId, HandedBytes>;

/** Keeps what a receipt names of an attachment: its own bytes, once the agent got those; otherwise what it got last. */
export function noteHandedOut(
  handedOut: Map<AttachmentId, HandedBytes>,
  { id, sha256 }: Pick<Attachment, 'id' | 'sha256'>,
  bytes: HandedBytes,
): void {
  if (handedOut.get(id)?.sha256 !== sha256) handedOut.set(id, bytes);
}
