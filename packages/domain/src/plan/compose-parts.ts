import type { Attachment, ByteReference, Part, PlanItem, Variant } from '@attache/contracts';
import { announceAttachments } from '../text/marker.ts';
import { composePart } from './compose-part.ts';
import { listRecipes } from './list-recipes.ts';

type Items = { readonly items: readonly PlanItem[] };
type Bytes = Pick<Attachment, 'mimeType' | 'sizeBytes' | 'sha256'>;

/** A part's reference to the bytes of an attachment, or of a variant that was made of it. */
export function referToBytes(attachmentId: Attachment['id'], source: Bytes | Variant): ByteReference {
  const { mimeType, sizeBytes, sha256 } = source;
  return { attachmentId, ...('purpose' in source ? { variantId: source.id } : {}), mimeType, sizeBytes, sha256 };
}

/** Whether variants are to be made for a plan. */
export function needsMaking({ items }: Items): boolean {
  return items.some((item) => listRecipes(item).length > 0);
}

/** The parts of a plan for which nothing has to be created, one for each item. Undefined if a variant is needed, or an attachment is missing or not ready. */
export function composeAtHand(plan: Items, attachments: readonly Attachment[]): Part[] | undefined {
  if (needsMaking(plan)) return undefined;
  const parts: Part[] = [];
  for (const item of plan.items) {
    const attachment = attachments.find(({ id }) => id === item.attachmentId);
    if (attachment?.status !== 'ready') return undefined;
    parts.push(composePart(item, attachment, [referToBytes(attachment.id, attachment)]));
  }
  return parts;
}

/** All parts of a delivery for which nothing is to be made; undefined as with its items. */
export function composeWholeAtHand(text: string, plan: Items, attachments: readonly Attachment[]): Part[] | undefined {
  const itemParts = composeAtHand(plan, attachments);
  return itemParts && composeParts(text, plan, { attachments, itemParts });
}

/** All parts of a delivery: the message's text with a marker for each attachment, then the attachments (AT-28). */
export function composeParts(
  text: string,
  { items }: Items,
  { attachments, itemParts }: { attachments: readonly Attachment[]; itemParts: readonly Part[] },
): Part[] {
  const byId = new Map(attachments.map((attachment) => [attachment.id, attachment]));
  const named = items.flatMap(({ attachmentId }) => byId.get(attachmentId) ?? []);
  return [{ type: 'text', text: announceAttachments(text, named) }, ...itemParts];
}
