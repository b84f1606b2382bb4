import type { TriState } from '@attache/contracts';
import { type Block, blockDraft, type Draft, type PlannableAttachment } from '../plan-types.ts';

const untouched = { budget: 'unknown', transport: 'unknown', model: 'unknown', prepare: 'unknown' } as const;

/** The gate that no form gets around: only what was inspected and found sound continues. Files of no known kind may only go by tool. */
export function passDecode(attachment: PlannableAttachment): Draft {
  const open: Draft = {
    attachment,
    checks: { decode: decodeOf(attachment), ...untouched },
    warnings: [],
    state: 'open',
  };
  const block = blockDecode(attachment);
  return block === undefined
    ? open
    : blockDraft(open, [block], open.checks.decode === 'unknown' ? 'unknown' : undefined);
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
