import type { DeliveryPlan, Part, PlanItem, ReceiptItem } from '@attache/contracts';
import { referencesOf } from '@attache/domain';
import type { HandedOut } from '../files/handed-out.ts';

/** An item as it was sent; `by` is how. */
export type Sent = { item: Omit<ReceiptItem, 'verdict' | 'proof' | 'wire'>; by: 'message' | 'tool' | 'none' };

/** Lists the bytes that went out for each item of a plan, in its order; each page of a document is one entry. */
export function listSent(plan: Pick<DeliveryPlan, 'items'>, parts: readonly Part[], handedOut: HandedOut): Sent[] {
  const references = parts.flatMap(referencesOf);
  return plan.items.flatMap((planned): Sent[] => {
    const { attachmentId, becomes: form } = planned;
    const own = references.filter((reference) => reference.attachmentId === attachmentId);
    if (own.length === 0) return [describeHandedOut(planned, handedOut)];
    return own.map(({ variantId, sha256, sizeBytes }) => {
      const item = { attachmentId, ...(variantId === undefined ? {} : { variantId }), sha256, sizeBytes, form };
      return { item, by: 'message' };
    });
  });
}

/** A file that did not go with the message: the bytes that the agent got by a tool, if it got any. */
function describeHandedOut({ attachmentId, becomes: form }: PlanItem, handedOut: HandedOut): Sent {
  const bytes = handedOut.get(attachmentId);
  if (bytes === undefined) return { item: { attachmentId, form }, by: 'none' };
  const { variantId, sha256, sizeBytes } = bytes;
  const item = { attachmentId, ...(variantId === undefined ? {} : { variantId }), sha256, sizeBytes, form };
  return { item, by: 'tool' };
}
