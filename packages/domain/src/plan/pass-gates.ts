import type { KindCapability, TriState, Warning } from '@attache/contracts';
import { blockModel, blockTransport, blockType } from './block-capability.ts';
import { type Block, blockDraft, type Draft, type PlannableAttachment, type PlanRequestInput } from './plan-types.ts';

type Gated = {
  input: PlanRequestInput;
  attachment: PlannableAttachment;
  kind: KindCapability | undefined;
  /** How many attachments of its kind stand before it in the message. */
  rank: number;
};

/** The gates that need no sizes, in their order: decode, count, transport, model. What passes stays open for its form. */
export function passGates(input: PlanRequestInput, attachments: readonly PlannableAttachment[]): Draft[] {
  return attachments.map((attachment, index) => {
    const { kind } = attachment;
    const before = attachments.slice(0, index).filter((other) => other.kind === kind && other.status === 'ready');
    return gate({
      input,
      attachment,
      kind: kind === 'unsupported' ? undefined : input.capability[kind],
      rank: before.length,
    });
  });
}

function gate(gated: Gated): Draft {
  const { attachment, kind } = gated;
  const checks = {
    decode: decodeOf(attachment),
    budget: 'unknown',
    transport: kind?.transport ?? 'no',
    model: kind?.model ?? 'no',
    prepare: 'unknown',
  } as const;
  const open: Draft = { attachment, checks, warnings: [], state: 'open' };
  const block = blockDecode(attachment) ?? blockCount(gated) ?? blockCapability(gated);
  if (block === undefined) return { ...open, warnings: warnUnknown(gated) };
  return blockDraft(open, block, checks[block.gate] === 'unknown' && block.gate !== 'budget' ? 'unknown' : 'no');
}

function decodeOf({ status }: PlannableAttachment): TriState {
  if (status === 'ready') return 'yes';
  return status === 'rejected' ? 'no' : 'unknown';
}

function blockDecode({ status, failure }: PlannableAttachment): Block | undefined {
  if (status === 'ready') return undefined;
  if (status === 'pending') {
    const userMessage = 'The attachment is still being inspected. Try again in a moment.';
    return { gate: 'decode', code: 'attachment_pending', userMessage, retryable: true };
  }
  const why = failure?.userMessage ?? 'It did not pass inspection.';
  return {
    gate: 'decode',
    code: 'attachment_rejected',
    userMessage: `The attachment was rejected: ${why} Send the message without it, or upload a sound file.`,
    ...(failure === undefined ? {} : { safeDetails: { rejectedAs: failure.code } }),
  };
}

function blockCount({ input, attachment, kind, rank }: Gated): Block | undefined {
  if (kind?.maxCount === undefined) return undefined;
  const resident = attachment.kind === 'image' ? (input.resident.images ?? 0) : 0;
  if (rank + resident < kind.maxCount) return undefined;
  const held = resident > 0 ? `, and its history holds ${resident}` : '';
  return {
    gate: 'budget',
    code: 'attachment_serialized_payload_too_large',
    userMessage: `${input.target.model} takes at most ${kind.maxCount} attachments of kind ${attachment.kind} at once${held}. Send fewer.`,
    safeDetails: { maxCount: kind.maxCount, resident },
  };
}

function blockCapability({ input, attachment, kind }: Gated): Block | undefined {
  if (kind === undefined) return blockType(attachment);
  return blockTransport(input, attachment, kind) ?? blockModel(input, attachment, kind);
}

function warnUnknown({ input, kind }: Gated): Warning[] {
  if (kind?.model !== 'unknown') return [];
  const message = `It is not known whether ${input.target.model} understands this kind; it is sent because an override says so.`;
  return [{ code: 'unknown_runtime_capability', severity: 'warning', message }];
}
