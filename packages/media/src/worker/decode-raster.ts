import type { Problem, VariantTask } from '../worker-protocol.ts';
import { describeDecoderError, sharp } from './decoder.ts';
import { readImageHeader } from './read-image-header.ts';

/** Decoded pixels, 8 bits a channel, in sRGB or grey. */
export type Raster = { pixels: Buffer; width: number; height: number; channels: 1 | 2 | 3 | 4 };

/** A raster with the size that its source has after EXIF orientation. */
export type ScaledRaster = Raster & { sourceWidth: number; sourceHeight: number };

// Decoded, more than this would not fit into a worker beside the decoder's own memory.
const largestEdgePixels = 8000;

/**
 * First frame of an image, turned by its EXIF orientation, inside a square of `maxEdgePixels`, never enlarged (DL-85).
 * No metadata survives.
 */
export async function decodeRaster(task: VariantTask, maxEdgePixels: number): Promise<ScaledRaster | Problem> {
  const { path, maxPixels } = task;
  const header = await readImageHeader(task);
  if ('code' in header) return header;
  const edge = Math.min(maxEdgePixels, largestEdgePixels);
  try {
    const { data, info } = await sharp(path, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true })
      .autoOrient()
      .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return { pixels: data, width, height, channels, sourceWidth: header.width, sourceHeight: header.height };
  } catch (error) {
    return describeDecoderError(error, path);
  }
}

/** A decoder's pipeline that starts with these pixels. */
export function openRaster({ pixels, width, height, channels }: Raster): ReturnType<typeof sharp> {
  return sharp(pixels, { raw: { width, height, channels } });
}

/** Variant pixels per source pixel, along the longer side, where rounding errs least (BX-13). */
export function scaleOf(size: { width: number; height: number }, { sourceWidth, sourceHeight }: ScaledRaster): number {
  return sourceWidth >= sourceHeight ? size.width / sourceWidth : size.height / sourceHeight;
}
