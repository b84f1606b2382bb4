import type { Attachment, Crop } from '@attache/contracts';

type Bounds = { crop: Crop | undefined; maxEdgePixels: number; maxBytes: number };

/** What an image is encoded as that cannot be shown as it is. PNG loses nothing; JPEG where a PNG would have to be made smaller to fit. */
export function chooseImageType(
  { mimeType, sizeBytes, facts }: Attachment,
  { crop, maxEdgePixels, maxBytes }: Bounds,
): 'image/png' | 'image/jpeg' {
  if (facts.hasAlpha) return 'image/png';
  if (/^image\/(?:jpeg|hei[cf])$/.test(mimeType)) return 'image/jpeg';
  const { width = maxEdgePixels, height = maxEdgePixels } = crop ?? facts;
  const scale = Math.min(1, maxEdgePixels / Math.max(width, height));
  const rawBytes = width * height * scale ** 2 * 3;
  // A part of a PNG, or a smaller one, is rarely larger than the whole.
  const pngBytes = mimeType === 'image/png' ? Math.min(sizeBytes, rawBytes) : rawBytes;
  return pngBytes <= maxBytes ? 'image/png' : 'image/jpeg';
}
