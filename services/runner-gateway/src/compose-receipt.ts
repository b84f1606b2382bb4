import type { Capability, DeliveryPlan, Part, PlanItem, Receipt, ReceiptItem, Usage } from '@attache/contracts';

import { referencesOf } from '@attache/domain';

type Turn = {
  writtenAt: Date;
  respondedAt: Date;
  transport: string;
  stopReason: string;
  proof: string;
  usage?: Usage | undefined;
  removedMedia?: boolean | undefined;
};

type Judged = { form: PlanItem['becomes']; isOnlyMedia: boolean };

/**
 * `delivered` needs both: evidence in the catalog that this runtime forwards this form, and a turn that ended without error.
 * Accepted by the transport is not understood by the model (DL-09).
 */
function judge(capability: Capability, turn: Turn, { form, isOnlyMedia }: Judged): ReceiptItem['verdict'] {
  if (turn.stopReason === 'refusal') return 'refused';
  // Of several it is not said which one was taken out.
  if (turn.removedMedia && form !== 'text') return isOnlyMedia ? 'refused' : 'unknown';
  return capability.forwardsNative && turn.stopReason === 'end_turn' ? 'delivered' : 'unknown';
}

/** Proof of what was sent: digests and forms of the bytes that left us (BX-03). */
export function composeReceipt(
  plan: DeliveryPlan,
  parts: readonly Part[],
  capability: Capability,
  turn: Turn,
): Receipt {
  const formOf = (attachmentId: PlanItem['attachmentId']) =>
    plan.items.find((item) => item.attachmentId === attachmentId)?.becomes ?? 'native';
  const references = parts.flatMap(referencesOf);
  const isOnlyMedia = references.filter(({ attachmentId }) => formOf(attachmentId) !== 'text').length === 1;
  const items = references.map(({ attachmentId, variantId, sha256, sizeBytes }): ReceiptItem => {
    const form = formOf(attachmentId);
    const variant = variantId === undefined ? {} : { variantId };
    return {
      attachmentId,
      ...variant,
      sha256,
      sizeBytes,
      form,
      verdict: judge(capability, turn, { form, isOnlyMedia }),
    };
  });
  return {
    writtenAt: turn.writtenAt.toISOString(),
    respondedAt: turn.respondedAt.toISOString(),
    transport: turn.transport,
    proof: turn.proof,
    items,
    ...(turn.usage ? { usage: turn.usage } : {}),
  };
}
