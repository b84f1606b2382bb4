import type { Warning } from '@attache/contracts';
import { base64Bytes, bytesWithinBase64 } from '../transport-size.ts';
import { blockConversion, blockFormat, blockImageSize, MIN_VARIANT_BYTES } from './block-form.ts';
import {
  blockDraft,
  type Draft,
  type OpenDraft,
  type PlannableAttachment,
  type PlanRequestInput,
} from './plan-types.ts';
import type { ImageWish, VariantMimeType } from './wish-image.ts';

/** The form of an image that has `grantBytes` of the line, or why it has none. */
export function planImage(draft: OpenDraft, wish: ImageWish, grantBytes: number, input: PlanRequestInput): Draft {
  const { nativeBytes } = wish;
  if (nativeBytes !== undefined && base64Bytes(nativeBytes) <= grantBytes) {
    const checks = { ...draft.checks, budget: 'yes', prepare: 'yes' } as const;
    return {
      ...draft,
      checks,
      state: 'planned',
      becomes: 'native',
      lineBytes: base64Bytes(nativeBytes),
      pixels: wish.nativePixels,
    };
  }
  const maxBytes = Math.min(bytesWithinBase64(grantBytes), wish.neededBytes);
  const canConvert = wish.variantTypes.length > 0;
  if (!canConvert && nativeBytes === undefined) return blockDraft(draft, blockFormat(draft.attachment, input));
  if (!canConvert || maxBytes < MIN_VARIANT_BYTES) return blockDraft(draft, blockImageSize(wish, grantBytes));
  const fitting = { ...draft, checks: { ...draft.checks, budget: 'yes' } } as const;
  if (input.conversions === 'deny') return blockDraft(fitting, blockConversion());
  return planVariant(fitting, wish, maxBytes);
}

function planVariant(draft: OpenDraft, wish: ImageWish, maxBytes: number): Draft {
  const mimeType = chooseType(draft.attachment, wish, maxBytes);
  return {
    ...draft,
    checks: { ...draft.checks, prepare: 'yes' },
    warnings: [...draft.warnings, ...warnOfChanges(draft.attachment, { mimeType, maxBytes, wish })],
    state: 'planned',
    becomes: 'variant',
    recipe: { purpose: 'inline-image', mimeType, maxEdgePixels: wish.edgePixels, maxBytes },
    lineBytes: base64Bytes(maxBytes),
    pixels: wish.variantPixels,
  };
}

/** JPEG stays JPEG; all else becomes PNG, unless its bytes cannot fit and no alpha is lost (DL-71). */
function chooseType(attachment: PlannableAttachment, wish: ImageWish, maxBytes: number): VariantMimeType {
  const [first = 'image/png'] = wish.variantTypes;
  if (wish.variantTypes.length === 1) return first;
  const { mimeType, sizeBytes } = attachment;
  if (/^image\/jpeg\b/i.test(mimeType)) return 'image/jpeg';
  // A PNG made smaller rarely grows; other formats are packed tighter than PNG can.
  const pngBytes = /^image\/png\b/i.test(mimeType) ? Math.min(sizeBytes, wish.rawBytes) : wish.rawBytes;
  return pngBytes <= maxBytes ? 'image/png' : 'image/jpeg';
}

type Change = { mimeType: VariantMimeType; maxBytes: number; wish: ImageWish };

function warnOfChanges(attachment: PlannableAttachment, { mimeType, maxBytes, wish }: Change): Warning[] {
  const { width = 0, height = 0, animated } = attachment.facts;
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
  if (animated === true) {
    const message = 'Only the first frame of the animation is sent.';
    warnings.push({ code: 'animated_first_frame_only', severity: 'warning', message });
  }
  return warnings;
}
