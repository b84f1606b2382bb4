import type { Problem, VariantTask } from '../worker-protocol.ts';
import { withHeifPixels } from './decode-heif.ts';
import { describeDecoderError, sharp } from './decoder.ts';
import { openRaster, type Raster } from './raster.ts';
import { readImageHeader } from './read-image-header.ts';

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
    const raster = header.isHevc
      ? await withHeifPixels({ path, hasAlpha: header.hasAlpha }, (pixels) => fit(openRaster(pixels), edge))
      : await fit(
          sharp(path, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true }).autoOrient(),
          edge,
        );
    return 'code' in raster ? raster : { ...raster, sourceWidth: header.width, sourceHeight: header.height };
  } catch (error) {
    return describeDecoderError(error, path);
  }
}

async function fit(image: ReturnType<typeof sharp>, edge: number): Promise<Raster> {
  const { data, info } = await image
    .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height, channels: info.channels };
}

/** Variant pixels per source pixel, along the longer side, where rounding errs least (BX-13). */
export function scaleOf(size: { width: number; height: number }, { sourceWidth, sourceHeight }: ScaledRaster): number {
  return sourceWidth >= sourceHeight ? size.width / sourceWidth : size.height / sourceHeight;
}
