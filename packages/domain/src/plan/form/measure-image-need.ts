import type { Attachment, KindCapability } from '@attache/contracts';
import { essenceOf } from '@attache/contracts/media-type';
import { byteLimitOf } from '../room/room.ts';

export type VariantMimeType = 'image/png' | 'image/jpeg';

/** The facts needed about an image, or about the part of it that is wanted. */
export type ImageFile = Pick<Attachment, 'mimeType' | 'sizeBytes' | 'facts'>;

/** The needs of an image, before the room of its message is known. */
export type ImageNeed = {
  /** Bytes of the original where it may go as it is; undefined where it may not. */
  nativeBytes: number | undefined;
  /** Types that a variant may have. Empty where none can be made. */
  variantTypes: readonly VariantMimeType[];
  /** Longest side of a variant; never larger than the source. */
  edgePixels: number;
  /** More than a variant can ever hold, or than the target takes. */
  neededBytes: number;
  /** Uncompressed, one byte a channel: a PNG of the variant never holds more than a little over it. */
  rawBytes: number;
  /** Pixels of a variant, at most. */
  variantPixels: number;
  /** Pixels of the original; 0 where they are not known. */
  nativePixels: number;
};

/** Longest side where neither the source nor the target says one (DL-85). */
const CAUTIOUS_EDGE_PIXELS = 2000;

const decodableTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/tiff',
  'image/heic',
  'image/heif',
]);

export function measureImageNeed(attachment: ImageFile, kind: KindCapability): ImageNeed {
  const { width = 0, height = 0, hasAlpha } = attachment.facts;
  const edgePixels = limitEdge({ width, height, kind });
  const variantPixels = scaledPixels({ width, height, edgePixels });
  const rawBytes = Math.ceil(variantPixels * (hasAlpha === false ? 3 : 4) * 1.01) + 65_536;
  return {
    nativeBytes: mayGoNative(attachment, kind) ? attachment.sizeBytes : undefined,
    variantTypes: variantTypesOf(attachment, kind),
    edgePixels,
    neededBytes: Math.min(byteLimitOf(kind), rawBytes),
    rawBytes,
    variantPixels,
    nativePixels: width * height,
  };
}

function mayGoNative({ mimeType, sizeBytes, facts }: ImageFile, kind: KindCapability): boolean {
  if (!kind.mimeTypes.includes(essenceOf(mimeType) ?? '')) return false;
  if (facts.animated === true && kind.animated !== 'yes') return false;
  if (sizeBytes > byteLimitOf(kind)) return false;
  if (kind.maxEdgePixels === undefined && kind.maxPixels === undefined) return true;
  const { width, height } = facts;
  // Not known is not within.
  if (width === undefined || height === undefined) return false;
  return (
    Math.max(width, height) <= (kind.maxEdgePixels ?? width + height) &&
    width * height <= (kind.maxPixels ?? width * height)
  );
}

function variantTypesOf({ mimeType, facts }: ImageFile, kind: KindCapability): VariantMimeType[] {
  const essence = essenceOf(mimeType) ?? '';
  if (!decodableTypes.has(essence)) return [];
  // Alpha is never flattened into a JPEG; where it is not known it may be there (DL-71).
  const isOpaque = essence === 'image/jpeg' || facts.hasAlpha === false;
  return (['image/png', 'image/jpeg'] as const).filter(
    (type) => kind.mimeTypes.includes(type) && (type === 'image/png' || isOpaque),
  );
}

type EdgeRequest = { width: number; height: number; kind: KindCapability };

function limitEdge({ width, height, kind }: EdgeRequest): number {
  const longest = Math.max(width, height);
  const pixels = width * height;
  const edge = Math.min(longest || CAUTIOUS_EDGE_PIXELS, kind.maxEdgePixels ?? Number.POSITIVE_INFINITY);
  if (kind.maxPixels === undefined || (pixels > 0 && pixels <= kind.maxPixels)) return edge;
  const ratio = pixels > 0 ? Math.min(width, height) / longest : 1;
  // The largest edge for which edge × (edge × ratio + 1) is within the limit: the short side may be rounded up.
  const byPixels = Math.floor((2 * kind.maxPixels) / (1 + Math.sqrt(1 + 4 * ratio * kind.maxPixels)));
  return Math.max(1, Math.min(edge, byPixels));
}

type ScaleRequest = { width: number; height: number; edgePixels: number };

function scaledPixels({ width, height, edgePixels }: ScaleRequest): number {
  if (width === 0 || height === 0) return edgePixels * edgePixels;
  const scale = Math.min(1, edgePixels / Math.max(width, height));
  return Math.ceil(width * scale) * Math.ceil(height * scale);
}
