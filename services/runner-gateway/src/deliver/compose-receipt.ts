import type { Capability, DeliveryPlan, Part, PlanItem, Receipt, ReceiptItem, Usage } from '@attache/contracts';
import { referencesOf } from '@attache/domain';
import type { HandedOut } from '../files/handed-out.ts';

type Turn = {
  writtenAt: Date;
  respondedAt: Date;
  transport: string;
  stopReason: string;
  proof: string;
  usage?: Usage | undefined;
  removedMedia?: boolean | undefined;
  handedOut: HandedOut;
};

type Sent = Omit<ReceiptItem, 'verdict'>;

/** Proof of what was sent: digests and forms of the bytes that left us (BX-03). Every item of the plan has its own, in the plan's order; of a document's pages one each. */
export function composeReceipt(
  plan: DeliveryPlan,
  parts: readonly Part[],
  capability: Capability,
  turn: Turn,
): Receipt {
  const references = parts.flatMap(referencesOf);
  const sent = plan.items.flatMap((item): Sent[] => {
    const { attachmentId, becomes: form } = item;
    const own = references.filter((reference) => reference.attachmentId === attachmentId);
    if (own.length === 0) return [describeHandedOut(item, turn.handedOut)];
    return own.map(({ variantId, sha256, sizeBytes }) => {
      return { attachmentId, ...(variantId === undefined ? {} : { variantId }), sha256, sizeBytes, form };
    });
  });
  const isOnlyMedia = sent.filter(mayHoldMedia).length === 1;
  return {
    writtenAt: turn.writtenAt.toISOString(),
    respondedAt: turn.respondedAt.toISOString(),
    transport: turn.transport,
    proof: turn.proof,
    items: sent.map((item) => ({ ...item, verdict: judge(capability, turn, item, isOnlyMedia) })),
    ...(turn.usage ? { usage: turn.usage } : {}),
  };
}

/** A file that did not go with the message: what the agent got of it by a tool, if it got anything. */
function describeHandedOut({ attachmentId, becomes: form }: PlanItem, handedOut: HandedOut): Sent {
  const bytes = handedOut.get(attachmentId);
  if (bytes === undefined) return { attachmentId, sizeBytes: 0, form };
  const { variantId, sha256, sizeBytes } = bytes;
  return { attachmentId, ...(variantId === undefined ? {} : { variantId }), sha256, sizeBytes, form };
}

const mayHoldMedia = ({ form, sha256 }: Sent): boolean => form !== 'text' && sha256 !== undefined;

/**
 * `delivered` needs both: evidence in the catalog that this runtime forwards this form, and a turn that ended without error.
 * Accepted by the transport is not understood by the model (DL-09).
 */
function judge(capability: Capability, turn: Turn, item: Sent, isOnlyMedia: boolean): ReceiptItem['verdict'] {
  if (item.sha256 === undefined) return 'unknown';
  const isByTool = item.form === 'tool';
  if (turn.stopReason === 'refusal') return 'refused';
  // Of several it is not said which one was taken out; nor whether a tool's answer was.
  if (turn.removedMedia && mayHoldMedia(item)) return isOnlyMedia && !isByTool ? 'refused' : 'unknown';
  const isForwarded = isByTool ? capability.tools === 'yes' : capability.forwardsNative;
  return isForwarded && turn.stopReason === 'end_turn' ? 'delivered' : 'unknown';
}
