import type { KindCapability, Warning } from '@attache/contracts';
import { describeQuality } from '@attache/contracts/jpeg-qualities';
import { gateKind } from '../gate-kind.ts';
import { blockDraft, orderBlocks, refuse } from '../gates.ts';
import {
  type Block,
  type Draft,
  noCost,
  type PlannableAttachment,
  type PlanRequestInput,
  type Route,
  type SharingDraft,
} from '../plan-types.ts';
import { byteLimitOf, costOf, roomFor } from '../room/room.ts';
import { base64Bytes } from '../room/transport-size.ts';
import { blockAnimation, blockConversion, blockFormat, blockImageCount, blockImageSize } from './block-form.ts';
import { chooseImageForm, type ImageForm, MIN_VARIANT_BYTES } from './choose-image-form.ts';
import { type ImageNeed, measureImageNeed, type VariantMimeType } from './measure-image-need.ts';

/** An image, as it is or as a variant. Which, is known once all images share what is left. */
export const planImage: Route = (draft, room, input) => {
  const { kind, draft: gated, blocks, isKnown } = gateKind(draft, 'image', input);
  const isOpen = blocks.length === 0 && room.images >= 1;
  if (isOpen) return { draft: { ...gated, state: 'sharing', as: 'image', reason: '' } };
  const availableBytes = roomFor(room, kind.carriage) - room.reservedBytes;
  const judged = judgeForm(draft.attachment, availableBytes, input);
  const budget = room.images < 1 ? blockImageCount(input) : judged.budget;
  const refusal = refuse(gated, [budget, ...blocks, isKnown ? judged.prepare : undefined]);
  if (refusal === undefined) throw new Error('an image that is not open has a gate that stops it');
  return refusal;
};

/** The form of an image that has `grantBytes` of the room, or why it has none. */
export function settleImage(draft: SharingDraft, need: ImageNeed, grantBytes: number, input: PlanRequestInput): Draft {
  const { form, budget, prepare } = judgeForm(draft.attachment, grantBytes, input);
  const judged: SharingDraft = budget ? draft : { ...draft, checks: { ...draft.checks, budget: 'yes' } };
  const blocks = orderBlocks([budget, prepare]);
  if (blocks.length > 0 || form.form === 'none') return blockDraft(warnOfMotion(judged, prepare), blocks);
  return form.form === 'original' ? planOriginal(judged, need, input) : planVariant(judged, need, form, input);
}

type JudgedForm = { form: ImageForm; budget: Block | undefined; prepare: Block | undefined };

/** The form of an image within `availableBytes`, and the objections of the gates budget and prepare. */
function judgeForm(attachment: PlannableAttachment, availableBytes: number, input: PlanRequestInput): JudgedForm {
  const { image } = input.capability;
  const form = chooseImageForm(attachment, image, { availableBytes });
  const roomyForm = chooseImageForm(attachment, image);
  // An image that can only go as it is, such as a moving image, has no smaller form either.
  const isTooLarge =
    form.form === 'none' &&
    (form.reason === 'size' || roomyForm.form === 'original' || !hasLeastRoom(attachment, availableBytes, image));
  return {
    form,
    budget: isTooLarge ? blockImageSize(measureImageNeed(attachment, image), availableBytes) : undefined,
    prepare: blockMaking(attachment, form.form === 'none' ? roomyForm : form, input),
  };
}

/** Whether any picture that shows something would have room, for an image that the target takes in no form. */
function hasLeastRoom({ sizeBytes }: PlannableAttachment, availableBytes: number, image: KindCapability): boolean {
  const leastBytes = Math.min(sizeBytes, MIN_VARIANT_BYTES);
  return base64Bytes(leastBytes) <= availableBytes && leastBytes <= byteLimitOf(image);
}

/** Why a form cannot be made, or may not. */
function blockMaking(attachment: PlannableAttachment, form: ImageForm, input: PlanRequestInput): Block | undefined {
  if (form.form === 'original') return undefined;
  if (form.form === 'none' && form.reason === 'moves') return blockAnimation(attachment, input);
  if (form.form === 'none' && form.reason === 'type') return blockFormat(attachment, input);
  return input.conversions === 'deny' ? blockConversion() : undefined;
}

function warnOfMotion(draft: SharingDraft, prepare: Block | undefined): SharingDraft {
  if (prepare?.safeDetails?.animated !== true) return draft;
  const warning: Warning = { code: 'animated_gif_not_supported', severity: 'error', message: prepare.userMessage };
  return { ...draft, warnings: [...draft.warnings, warning] };
}

function planOriginal(draft: SharingDraft, need: ImageNeed, { target, capability }: PlanRequestInput): Draft {
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
      pixels: need.nativePixels,
      images: 1,
    },
  };
}

type Variant = Extract<ImageForm, { form: 'variant' }>;

function planVariant(
  draft: SharingDraft,
  need: ImageNeed,
  { mimeType, maxEdgePixels, maxBytes }: Variant,
  input: PlanRequestInput,
): Draft {
  const { carriage } = input.capability.image;
  return {
    ...draft,
    checks: { ...draft.checks, prepare: 'yes' },
    warnings: [...draft.warnings, ...warnOfChanges(draft.attachment, { mimeType, maxBytes, need })],
    state: 'planned',
    becomes: 'variant',
    recipe: { purpose: 'inline-image', mimeType, maxEdgePixels, maxBytes },
    reason: `${input.target.model} does not get the original: it gets ${mimeType} of at most ${maxEdgePixels} pixels a side and ${maxBytes} bytes, ${describeQuality(mimeType)}.`,
    cost: { ...noCost, ...costOf(base64Bytes(maxBytes), carriage), pixels: need.variantPixels, images: 1 },
  };
}

type Change = { mimeType: VariantMimeType; maxBytes: number; need: ImageNeed };

function warnOfChanges(attachment: PlannableAttachment, { mimeType, maxBytes, need }: Change): Warning[] {
  const { width = 0, height = 0 } = attachment.facts;
  const warnings: Warning[] = [];
  if (Math.max(width, height) > need.edgePixels || (attachment.sizeBytes > maxBytes && maxBytes < need.rawBytes)) {
    const before =
      width > 0 ? `${width}×${height} pixels, ${attachment.sizeBytes} bytes` : `${attachment.sizeBytes} bytes`;
    const message = `The image is reduced from ${before} to at most ${need.edgePixels} pixels a side and ${maxBytes} bytes.`;
    warnings.push({ code: 'image_resized', severity: 'info', message });
  }
  if (!attachment.mimeType.toLowerCase().startsWith(mimeType)) {
    const message = `The image is converted from ${attachment.mimeType} to ${mimeType}.`;
    warnings.push({ code: 'format_converted', severity: 'info', message });
  }
  return warnings;
}
