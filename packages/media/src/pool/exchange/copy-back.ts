import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Fault, type Recipe } from '@attache/contracts';

const PREVIEW_PIXEL_BYTES = 4;
const PREVIEW_BESIDE_BYTES = 64 * 1024;

/** How many bytes a recipe allows; of a preview, as many as its pixels have. */
export const limitOf = (recipe: Recipe): number =>
  'maxBytes' in recipe ? recipe.maxBytes : recipe.maxEdgePixels ** 2 * PREVIEW_PIXEL_BYTES + PREVIEW_BESIDE_BYTES;

/**
 * Copies what a worker has made to where it belongs. The place is the worker's: a link there is not followed. Throws MEDIA_WORKER_FAILED for
 * what is no file, or larger than the recipe allows.
 */
export async function copyBack(place: string, path: string, maxBytes: number): Promise<void> {
  await using file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { size } = await file.stat().then((found) => (found.isFile() ? found : { size: Number.POSITIVE_INFINITY }));
  if (size > maxBytes)
    throw new Fault('MEDIA_WORKER_FAILED', 'A media worker made something else than it was asked for. Try again.', {
      retryable: true,
    });
  await using target = await open(path, 'w');
  if (size > 0) await target.writeFile(file.createReadStream({ autoClose: false, end: size - 1 }));
}
