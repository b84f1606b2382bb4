import type { Recipe, Warning } from '@attache/contracts';
import { writeOutput } from '../../file/write-output.ts';
import type { Problem, VariantReply, VariantTask } from '../../worker-protocol.ts';
import { decodeRaster, type ScaledRaster, scaleOf } from './decode-raster.ts';
import { describeExcess, type EncodedImage, fitImage } from './fit-image.ts';
import { openRaster, type Raster } from './raster.ts';

type ImageRecipe = Extract<Recipe, { purpose: 'inline-image' }>;

/** A PNG or JPEG within the recipe's pixels and bytes. */
export async function makeInlineImage(task: VariantTask, recipe: ImageRecipe): Promise<VariantReply> {
  const source = await decodeRaster(task, recipe);
  if ('code' in source) return fail(source);
  const raster = recipe.mimeType === 'image/jpeg' ? await removeOpaqueAlpha(source) : source;
  if (raster === undefined) return fail(transparent);
  const image = await fitImage(raster, recipe.mimeType, recipe.maxBytes);
  if (image === undefined) return fail(describeExcess(recipe.maxBytes));
  const { measure } = writeOutput(task.outputPath, (write) => write(image.bytes));
  return {
    status: 'made',
    mimeType: recipe.mimeType,
    ...measure,
    width: image.width,
    height: image.height,
    scale: scaleOf(image, source),
    warnings: [...describeResize(source, image), ...describeConversion(task, recipe.mimeType), ...describeFrames(task)],
  };
}

const transparent: Problem = {
  code: 'attachment_optimization_failed',
  diagnostic: 'The image is transparent in places, which JPEG cannot keep. A PNG can.',
};

// Transparency is never flattened silently (DL-71); an alpha channel that hides nothing may go.
async function removeOpaqueAlpha(raster: Raster): Promise<Raster | undefined> {
  const { pixels, channels } = raster;
  if (channels === 1 || channels === 3) return raster;
  for (let index = channels - 1; index < pixels.length; index += channels) {
    if (pixels[index] !== 255) return undefined;
  }
  const { data, info } = await openRaster(raster).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height, channels: info.channels };
}

function describeResize(source: ScaledRaster, image: EncodedImage): Warning[] {
  const { sourceWidth, sourceHeight } = source;
  if (image.width === sourceWidth && image.height === sourceHeight) return [];
  const message = `Resized from ${sourceWidth}×${sourceHeight} to ${image.width}×${image.height} pixels.`;
  return [{ code: 'image_resized', severity: 'info', message }];
}

function describeConversion({ mimeType }: VariantTask, made: string): Warning[] {
  if (mimeType === made) return [];
  return [{ code: 'format_converted', severity: 'info', message: `Converted from ${mimeType} to ${made}.` }];
}

function describeFrames({ facts }: VariantTask): Warning[] {
  if (!facts.animated) return [];
  const message = 'The image moves; only its first frame was taken.';
  return [{ code: 'animated_first_frame_only', severity: 'warning', message }];
}

function fail(problem: Problem): VariantReply {
  return { status: 'failed', problem };
}
