import type { Warning } from '@attache/contracts';
import { base64Bytes, bytesWithinBase64 } from '../transport-size.ts';
import {
  blockAnimation,
  blockConversion,
  blockFormat,
  blockImageCount,
  blockImageSize,
  MIN_VARIANT_BYTES,
} from './block-form.ts';
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
  const { nativeBytes } = wish;
  const { carriage } = input.capability.image;
  if (nativeBytes !== undefined && base64Bytes(nativeBytes) <= grantBytes) {
    return {
      ...draft,
      checks: { ...draft.checks, budget: 'yes', prepare: 'yes' },
      state: 'planned',
      becomes: 'native',
      reason: `${input.target.model} takes ${draft.attachment.mimeType} of this size as it is.`,
      cost: { ...noCost, ...costOf(base64Bytes(nativeBytes), carriage), pixels: wish.nativePixels, images: 1 },
    };
  }
  if (draft.attachment.facts.animated === true) {
    const block = blockAnimation(draft.attachment, input);
    const warning: Warning = { code: 'animated_gif_not_supported', severity: 'error', message: block.userMessage };
    return blockDraft({ ...draft, warnings: [...draft.warnings, warning] }, block);
  }
  const maxBytes = Math.min(bytesWithinBase64(grantBytes), wish.neededBytes);
  const canConvert = wish.variantTypes.length > 0;
  if (!canConvert && nativeBytes === undefined) return blockDraft(draft, blockFormat(draft.attachment, input));
  if (!canConvert || maxBytes < MIN_VARIANT_BYTES) return blockDraft(draft, blockImageSize(wish, grantBytes));
  const fitting: SharingDraft = { ...draft, checks: { ...draft.checks, budget: 'yes' } };
  if (input.conversions === 'deny') return blockDraft(fitting, blockConversion());
  return planVariant(fitting, wish, maxBytes, input);
}

function planVariant(draft: SharingDraft, wish: ImageWish, maxBytes: number, input: PlanRequestInput): Draft {
  const mimeType = chooseType(draft.attachment, wish, maxBytes);
  const { carriage } = input.capability.image;
  return {
    ...draft,
    checks: { ...draft.checks, prepare: 'yes' },
    warnings: [...draft.warnings, ...warnOfChanges(draft.attachment, { mimeType, maxBytes, wish })],
    state: 'planned',
    becomes: 'variant',
    recipe: { purpose: 'inline-image', mimeType, maxEdgePixels: wish.edgePixels, maxBytes },
    reason: `${input.target.model} does not get the original: it gets ${mimeType} of at most ${wish.edgePixels} pixels a side and ${maxBytes} bytes.`,
    cost: { ...noCost, ...costOf(base64Bytes(maxBytes), carriage), pixels: wish.variantPixels, images: 1 },
  };
}

/** JPEG stays JPEG; all else becomes PNG, unless its bytes cannot fit and no alpha is lost (DL-71). */
function chooseType(attachment: PlannableAttachment, wish: ImageWish, maxBytes: number): VariantMimeType {
  const [first = 'image/png'] = wish.variantTypes;
  if (wish.variantTypes.length === 1) return first;
  const { mimeType, sizeBytes } = attachment;
  if (/^image\/(?:jpeg|hei[cf])\b/i.test(mimeType)) return 'image/jpeg';
  // A PNG made smaller rarely grows; other formats are packed tighter than PNG can.
  const pngBytes = /^image\/png\b/i.test(mimeType) ? Math.min(sizeBytes, wish.rawBytes) : wish.rawBytes;
  return pngBytes <= maxBytes ? 'image/png' : 'image/jpeg';
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
