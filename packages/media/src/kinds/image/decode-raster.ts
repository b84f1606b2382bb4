import type { Crop } from '@attache/contracts';
import type { Problem, VariantTask } from '../../worker-protocol.ts';
import { describeDecoderError, sharp } from './decoder.ts';
import { withHeifPixels } from './heif/decode-heif.ts';
import { imageSource } from './image-source.ts';
import { openRaster, type Raster } from './raster.ts';
import { readImageHeader } from './read-image-header.ts';

/** A raster with the size of what it shows: the source after EXIF orientation, or a part of that. */
export type ScaledRaster = Raster & { sourceWidth: number; sourceHeight: number };

// Decoded, more than this would not fit into a worker in addition to the decoder's own memory.
const largestEdgePixels = 8000;

export type RasterView = { maxEdgePixels: number; crop?: Crop | undefined };

/**
 * First frame of an image, turned by its EXIF orientation, and then a part of it where that is asked for, inside a square of
 * `maxEdgePixels`, never enlarged (DL-85). No metadata survives.
 */
export async function decodeRaster(task: VariantTask, view: RasterView): Promise<ScaledRaster | Problem> {
  const { path, maxPixels } = task;
  const header = await readImageHeader(task);
  if ('code' in header) return header;
  const { crop } = view;
  if (crop !== undefined && !isWithin(crop, header)) return outside;
  const source = crop ?? header;
  try {
    const raster = header.isHevc
      ? await withHeifPixels({ path, hasAlpha: header.hasAlpha }, (pixels) => fit(openRaster(pixels), view))
      : await fit(
          sharp(imageSource(path), { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true }).autoOrient(),
          view,
        );
    return 'code' in raster ? raster : { ...raster, sourceWidth: source.width, sourceHeight: source.height };
  } catch (error) {
    return describeDecoderError(error, task);
  }
}

const outside: Problem = {
  code: 'attachment_optimization_failed',
  diagnostic: 'The part that was asked for does not lie within the image.',
};

function isWithin({ x, y, width, height }: Crop, image: { width: number; height: number }): boolean {
  return x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= image.width && y + height <= image.height;
}

async function fit(image: ReturnType<typeof sharp>, { maxEdgePixels, crop }: RasterView): Promise<Raster> {
  const edge = Math.min(maxEdgePixels, largestEdgePixels);
  const part = crop === undefined ? image : image.extract({ left: crop.x, top: crop.y, ...sizeOf(crop) });
  const { data, info } = await part
    .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height, channels: info.channels };
}

const sizeOf = ({ width, height }: Crop) => ({ width, height });

/** Variant pixels per source pixel, along the longer side, where rounding errs least (BX-13). */
export function scaleOf(size: { width: number; height: number }, { sourceWidth, sourceHeight }: ScaledRaster): number {
  return sourceWidth >= sourceHeight ? size.width / sourceWidth : size.height / sourceHeight;
}
