import { jpegQualities } from '@attache/contracts/jpeg-qualities';
import type { Problem } from '../../worker-protocol.ts';
import { openRaster, type Raster } from './raster.ts';

export type EncodedImage = { bytes: Buffer; width: number; height: number };
export type ImageFormat = 'image/png' | 'image/jpeg';

// Only the best keeps full colour resolution: small coloured text lives on it (DL-71).
const jpegOptions = jpegQualities.map((quality) => ({
  quality,
  chromaSubsampling: quality === jpegQualities[0] ? '4:4:4' : '4:2:0',
}));

// Smaller than this nothing can be read in an image: refusal is better.
const leastEdgePixels = 320;

/** Encodes a raster within `maxBytes`: lowers quality first, then size. Undefined if it is too large at the floors of both. */
export async function fitImage(
  raster: Raster,
  format: ImageFormat,
  maxBytes: number,
): Promise<EncodedImage | undefined> {
  const fullEdge = Math.max(raster.width, raster.height);
  const leastEdge = Math.min(fullEdge, leastEdgePixels);
  let edge = fullEdge;
  for (;;) {
    const image = await encodeSmallest(edge === fullEdge ? raster : await shrink(raster, edge), format, maxBytes);
    if (image.bytes.length <= maxBytes) return image;
    if (edge === leastEdge) return undefined;
    const ratio = Math.sqrt(maxBytes / image.bytes.length) * 0.95;
    edge = Math.max(leastEdge, Math.floor(edge * Math.min(0.9, Math.max(0.5, ratio))));
  }
}

/** The problem of an image that fits in no form. */
export function describeExcess(maxBytes: number): Problem {
  const diagnostic = 'Too large at the lowest quality and size.';
  return { code: 'attachment_too_large_optimized', diagnostic, safeDetails: { maxBytes } };
}

async function shrink(raster: Raster, edge: number): Promise<Raster> {
  const resized = openRaster(raster).resize(edge, edge, { fit: 'inside' });
  const { data, info } = await resized.raw().toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height, channels: info.channels };
}

async function encodeSmallest(raster: Raster, format: ImageFormat, maxBytes: number): Promise<EncodedImage> {
  const { width, height } = raster;
  if (format === 'image/png') return { bytes: await openRaster(raster).png().toBuffer(), width, height };
  let bytes = Buffer.alloc(0);
  for (const options of jpegOptions) {
    bytes = await openRaster(raster).jpeg(options).toBuffer();
    if (bytes.length <= maxBytes) break;
  }
  return { bytes, width, height };
}
