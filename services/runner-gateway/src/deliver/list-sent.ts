import type { ByteReference, DeliveryPlan, Part, PlanItem, ReceiptItem } from '@attache/contracts';
import { describePageGaps, numberPages, referencesOf } from '@attache/domain';
import type { HandedOut } from '../files/handed-out.ts';

/** An item as it was sent; `by` is how. */
export type Sent = { item: Omit<ReceiptItem, 'verdict' | 'proof' | 'wire'>; by: 'message' | 'tool' | 'none' };

/** Lists the bytes that went out for each item of a plan, in its order; each page of a document is one entry, and one without bytes names those left out. */
export function listSent(plan: Pick<DeliveryPlan, 'items'>, parts: readonly Part[], handedOut: HandedOut): Sent[] {
  return plan.items.flatMap((planned): Sent[] => {
    const isOwn = ({ attachmentId }: ByteReference) => attachmentId === planned.attachmentId;
    const own = parts.filter((part) => referencesOf(part).some(isOwn));
    return own.length === 0 ? [describeHandedOut(planned, handedOut)] : own.flatMap((part) => listPart(planned, part));
  });
}

function listPart({ attachmentId, becomes: form }: PlanItem, part: Part): Sent[] {
  const gaps = part.type === 'pages' ? (part.gaps ?? []) : [];
  const numbers = part.type === 'pages' ? numberPages(part) : [];
  const sent = referencesOf(part).map(({ variantId, sha256, sizeBytes }, index): Sent => {
    const warnings = describePageGaps(gaps.filter(({ page }) => page === numbers[index]));
    const item = { attachmentId, ...(variantId === undefined ? {} : { variantId }), sha256, sizeBytes, form };
    return { item: { ...item, ...(warnings.length > 0 && { warnings }) }, by: 'message' };
  });
  const warnings = describePageGaps(gaps.filter(({ lacks }) => lacks === 'page'));
  return warnings.length > 0 ? [...sent, { item: { attachmentId, form, warnings }, by: 'none' }] : sent;
}

/** A file that did not go with the message: the bytes that the agent got by a tool, if it got any. */
function describeHandedOut({ attachmentId, becomes: form }: PlanItem, handedOut: HandedOut): Sent {
  const bytes = handedOut.get(attachmentId);
  if (bytes === undefined) return { item: { attachmentId, form }, by: 'none' };
  const { variantId, sha256, sizeBytes } = bytes;
  const item = { attachmentId, ...(variantId === undefined ? {} : { variantId }), sha256, sizeBytes, form };
  return { item, by: 'tool' };
}
