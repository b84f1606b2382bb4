import type { Capability, DeliveryPlan, Part, PlanItem, Receipt, ReceiptItem, Usage } from '@attache/contracts';

import { referencesOf } from '@attache/domain';

type Turn = {
  writtenAt: Date;
  respondedAt: Date;
  transport: string;
  stopReason: string;
  proof: string;
  usage?: Usage | undefined;
};

/**
 * `delivered` needs both: evidence in the catalog that this runtime forwards this form, and a turn that ended without error.
 * Accepted by the transport is not understood by the model (DL-09).
 */
function judge(capability: Capability, stopReason: string): ReceiptItem['verdict'] {
  if (stopReason === 'refusal') return 'refused';
  return capability.forwardsNative && stopReason === 'end_turn' ? 'delivered' : 'unknown';
}

/** Proof of what was sent: digests and forms of the bytes that left us (BX-03). */
export function composeReceipt(
  plan: DeliveryPlan,
  parts: readonly Part[],
  capability: Capability,
  turn: Turn,
): Receipt {
  const verdict = judge(capability, turn.stopReason);
  const formOf = (attachmentId: PlanItem['attachmentId']) =>
    plan.items.find((item) => item.attachmentId === attachmentId)?.becomes ?? 'native';
  const items = parts.flatMap((part): ReceiptItem[] => {
    return referencesOf(part).map(({ attachmentId, variantId, sha256, sizeBytes }) => {
      const variant = variantId === undefined ? {} : { variantId };
      return { attachmentId, ...variant, sha256, sizeBytes, form: formOf(attachmentId), verdict };
    });
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
