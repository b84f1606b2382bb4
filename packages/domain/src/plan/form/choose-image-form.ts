import type { KindCapability } from '@attache/contracts';
import { base64Bytes, bytesWithinBase64 } from '../room/transport-size.ts';
import { type ImageFile, type ImageNeed, measureImageNeed, type VariantMimeType } from './measure-image-need.ts';

/** A variant smaller than this shows nothing. */
export const MIN_VARIANT_BYTES = 16 * 1024;

/**
 * The form of an image for a target. `type`: no decoder exists for it. `size`: a version that fits would show nothing. `moves`: a still image would not be what
 * was sent.
 */
export type ImageForm =
  | { form: 'original' }
  | { form: 'variant'; mimeType: VariantMimeType; maxEdgePixels: number; maxBytes: number }
  | { form: 'none'; reason: 'type' | 'size' | 'moves' };

type Wanted = {
  /** Room for it, serialised. */
  availableBytes?: number;
  /** A part of it, or one frame: never the original, and of a moving image a still. */
  isPart?: boolean;
};

/**
 * Chooses the form of an image for a target, by type, movement, bytes and pixels: the one rule for plans, projections and views. For a part of an image,
 * `image` has the part's width and height.
 */
export function chooseImageForm(
  image: ImageFile,
  kind: KindCapability,
  { availableBytes = Number.POSITIVE_INFINITY, isPart = false }: Wanted = {},
): ImageForm {
  const need = measureImageNeed(image, kind);
  const { nativeBytes } = need;
  if (!isPart && nativeBytes !== undefined && base64Bytes(nativeBytes) <= availableBytes) return { form: 'original' };
  if (!isPart && image.facts.animated === true) return { form: 'none', reason: 'moves' };
  const maxBytes = Math.min(bytesWithinBase64(availableBytes), need.neededBytes);
  if (need.variantTypes.length === 0)
    return { form: 'none', reason: nativeBytes === undefined || isPart ? 'type' : 'size' };
  if (maxBytes < MIN_VARIANT_BYTES) return { form: 'none', reason: 'size' };
  return { form: 'variant', mimeType: chooseType(image, need, maxBytes), maxEdgePixels: need.edgePixels, maxBytes };
}

/** JPEG stays JPEG; all else becomes PNG, unless its bytes cannot fit and no alpha is lost (DL-71). */
function chooseType({ mimeType, sizeBytes }: ImageFile, need: ImageNeed, maxBytes: number): VariantMimeType {
  const [first = 'image/png'] = need.variantTypes;
  if (need.variantTypes.length === 1) return first;
  if (/^image\/(?:jpeg|hei[cf])\b/i.test(mimeType)) return 'image/jpeg';
  // A PNG made smaller rarely grows; other formats are packed tighter than PNG can.
  const pngBytes = /^image\/png\b/i.test(mimeType) ? Math.min(sizeBytes, need.rawBytes) : need.rawBytes;
  return pngBytes <= maxBytes ? 'image/png' : 'image/jpeg';
}
