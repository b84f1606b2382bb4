import type { Warning } from '@attache/contracts';
import { base64Bytes } from '../transport-size.ts';
import { blockAnimation, blockConversion, blockFormat, blockImageCount, blockImageSize } from './block-form.ts';
import { chooseImageForm, type ImageForm } from './choose-image-form.ts';
import { gateKind } from './gate-kind.ts';
import {
  blockDraft,
  type Draft,
  noCost,
  type PlannableAttachment,
  type PlanRequestInput,
  type SharingDraft,
} from './plan-types.ts';
import { costOf } from './room.ts';
import type { Route } from './route.ts';
import type { ImageWish, VariantMimeType } from './wish-image.ts';

/** An image, as it is or as a variant. Which, is known once all images share what is left. */
export const planImage: Route = (draft, room, input) => {
  const { draft: gated, block } = gateKind(draft, 'image', input);
  if (room.images < 1) return { block: blockImageCount(input), at: gated };
  if (block) return { block, at: gated };
  return { draft: { ...gated, state: 'sharing', as: 'image', reason: '' } };
};

/** The form of an image that has `grantBytes` of the room, or why it has none. */
export function settleImage(draft: SharingDraft, wish: ImageWish, grantBytes: number, input: PlanRequestInput): Draft {
  const { attachment } = draft;
  const chosen = chooseImageForm(attachment, input.capability.image, { availableBytes: grantBytes });
  switch (chosen.form) {
    case 'original':
      return planOriginal(draft, wish, input);
    case 'variant': {
      const fitting: SharingDraft = { ...draft, checks: { ...draft.checks, budget: 'yes' } };
      if (input.conversions === 'deny') return blockDraft(fitting, blockConversion());
      return planVariant(fitting, wish, chosen, input);
    }
    case 'none':
      if (chosen.reason === 'type') return blockDraft(draft, blockFormat(attachment, input));
      if (chosen.reason === 'size') return blockDraft(draft, blockImageSize(wish, grantBytes));
      return blockMoving(draft, input);
    default:
      return chosen satisfies never;
  }
}

function blockMoving(draft: SharingDraft, input: PlanRequestInput): Draft {
  const block = blockAnimation(draft.attachment, input);
  const warning: Warning = { code: 'animated_gif_not_supported', severity: 'error', message: block.userMessage };
  return blockDraft({ ...draft, warnings: [...draft.warnings, warning] }, block);
}

function planOriginal(draft: SharingDraft, wish: ImageWish, { target, capability }: PlanRequestInput): Draft {
  const { mimeType, sizeBytes } = draft.attachment;
  return {
    ...draft,
    checks: { ...draft.checks, budget: 'yes', prepare: 'yes' },
    state: 'planned',
    becomes: 'native',
    reason: `${target.model} takes ${mimeType} of this size as it is.`,
    cost: {
      ...noCost,
      ...costOf(base64Bytes(sizeBytes), capability.image.carriage),
      pixels: wish.nativePixels,
      images: 1,
    },
  };
}

type Variant = Extract<ImageForm, { form: 'variant' }>;

function planVariant(
  draft: SharingDraft,
  wish: ImageWish,
  { mimeType, maxEdgePixels, maxBytes }: Variant,
  input: PlanRequestInput,
): Draft {
  const { carriage } = input.capability.image;
  return {
    ...draft,
    checks: { ...draft.checks, prepare: 'yes' },
    warnings: [...draft.warnings, ...warnOfChanges(draft.attachment, { mimeType, maxBytes, wish })],
    state: 'planned',
    becomes: 'variant',
    recipe: { purpose: 'inline-image', mimeType, maxEdgePixels, maxBytes },
    reason: `${input.target.model} does not get the original: it gets ${mimeType} of at most ${maxEdgePixels} pixels a side and ${maxBytes} bytes.`,
    cost: { ...noCost, ...costOf(base64Bytes(maxBytes), carriage), pixels: wish.variantPixels, images: 1 },
  };
}

type Change = { mimeType: VariantMimeType; maxBytes: number; wish: ImageWish };

function warnOfChanges(attachment: PlannableAttachment, { mimeType, maxBytes, wish }: Change): Warning[] {
  const { width = 0, height = 0 } = attachment.facts;
  const warnings: Warning[] = [];
  if (Math.max(width, height) > wish.edgePixels || (attachment.sizeBytes > maxBytes && maxBytes < wish.rawBytes)) {
    const before =
      width > 0 ? `${width}×${height} pixels, ${attachment.sizeBytes} bytes` : `${attachment.sizeBytes} bytes`;
    const message = `The image is reduced from ${before} to at most ${wish.edgePixels} pixels a side and ${maxBytes} bytes.`;
    warnings.push({ code: 'image_resized', severity: 'info', message });
  }
  if (!attachment.mimeType.toLowerCase().startsWith(mimeType)) {
    const message = `The image is converted from ${attachment.mimeType} to ${mimeType}.`;
    warnings.push({ code: 'format_converted', severity: 'info', message });
  }
  return warnings;
}
