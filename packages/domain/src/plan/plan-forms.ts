import { planImage } from './plan-image.ts';
import { planText } from './plan-text.ts';
import { blockDraft, type Draft, type OpenDraft, type PlanRequestInput } from './plan-types.ts';
import { shareLine } from './share-line.ts';
import { wishImage } from './wish-image.ts';

/**
 * Gives every open draft its form within what the line has left. Texts come first, in their order: they cannot be reduced;
 * images share the rest.
 */
export function planForms(drafts: readonly Draft[], availableBytes: number, input: PlanRequestInput): Draft[] {
  let left = availableBytes;
  const withTexts = drafts.map((draft) => {
    if (draft.state !== 'open' || draft.attachment.kind !== 'text') return draft;
    const planned = planText(draft, left, input);
    if (planned.state === 'planned') left -= planned.lineBytes;
    return planned;
  });
  return planImages(withTexts, left, input);
}

function planImages(drafts: readonly Draft[], availableBytes: number, input: PlanRequestInput): Draft[] {
  const isImage = (draft: Draft): draft is OpenDraft => draft.state === 'open' && draft.attachment.kind === 'image';
  const images = drafts.filter(isImage);
  const wishes = images.map(({ attachment }) => wishImage(attachment, input.capability.image));
  const grants = shareLine(availableBytes, wishes);
  const planned = new Map<Draft, Draft>();
  images.forEach((draft, index) => {
    const wish = wishes[index];
    if (wish !== undefined) planned.set(draft, planImage(draft, wish, grants[index] ?? 0, input));
  });
  return drafts.map((draft) => planned.get(draft) ?? withoutForm(draft, input));
}

/** A kind that the capability lets through although this release has no form for it. */
function withoutForm(draft: Draft, { target }: PlanRequestInput): Draft {
  if (draft.state !== 'open') return draft;
  return blockDraft(draft, {
    gate: 'prepare',
    code: 'attachment_runtime_unsupported',
    userMessage: `There is no way yet to give attachments of kind ${draft.attachment.kind} to ${target.runtime}. Send what matters as text or as images.`,
  });
}
