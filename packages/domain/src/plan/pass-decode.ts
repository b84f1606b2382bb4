import type { AttachmentId, TriState } from '@attache/contracts';
import { blockDraft } from './gates.ts';
import { type Block, type Draft, noCost, type OpenDraft, type PlannableAttachment } from './plan-types.ts';

const untouched = { budget: 'unknown', transport: 'unknown', model: 'unknown', prepare: 'unknown' } as const;

/**
 * The gate that no form gets around: only what was inspected and found sound continues. A file that the model refused
 * before goes no further either: it is named alone (BX-02).
 */
export function passDecode(attachment: PlannableAttachment, quarantined: ReadonlySet<AttachmentId> = new Set()): Draft {
  const open: OpenDraft = {
    attachment,
    checks: { decode: decodeOf(attachment), ...untouched },
    warnings: [],
    state: 'open',
  };
  const block = blockDecode(attachment);
  if (block) return blockDraft(open, [block], open.checks.decode === 'unknown' ? 'unknown' : undefined);
  return quarantined.has(attachment.id) ? nameAlone(open) : open;
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

/** As plans say why an attachment goes as its marker alone. */
const QUARANTINED = 'quarantined';

function nameAlone(draft: OpenDraft): Draft {
  return {
    ...draft,
    checks: { ...draft.checks, budget: 'yes', transport: 'yes', model: 'no', prepare: 'yes' },
    state: 'planned',
    becomes: 'descriptor',
    reason: QUARANTINED,
    cost: noCost,
  };
}
