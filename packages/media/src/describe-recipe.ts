import type { Crop, Recipe } from '@attache/contracts';

/** Raised whenever the same recipe on the same bytes may give other bytes: new rules here, another sharp, another reader of PDF or HEIC; or other warnings. */
const OPTIMISER_VERSION = 3;

/**
 * One spelling of how a variant is made: purpose, output type, dimensions, optimiser version. Hashed together with the tenant and
 * the sha256 of the source's bytes it is the variant's id (DL-45).
 */
export function describeRecipe(recipe: Recipe): string {
  return JSON.stringify(['media', OPTIMISER_VERSION, recipe.purpose, ...listSettings(recipe)]);
}

function listSettings(recipe: Recipe): (string | number)[] {
  switch (recipe.purpose) {
    case 'inline-image':
      return [recipe.mimeType, recipe.maxEdgePixels, recipe.maxBytes, ...listCrop(recipe.crop)];
    case 'decoded-text': {
      const { encoding, linesAs, withoutMedia, maxBytes } = recipe;
      const extras = [...(linesAs === undefined ? [] : [linesAs]), ...(withoutMedia ? ['without-media'] : [])];
      return ['text/plain', encoding.toLowerCase(), maxBytes, ...extras];
    }
    case 'preview':
      return ['image/webp', recipe.maxEdgePixels];
    case 'page-image':
      return [recipe.mimeType, recipe.page, recipe.maxEdgePixels, recipe.maxBytes];
    case 'document-text':
      return ['text/plain', recipe.maxBytes];
    default:
      return recipe satisfies never;
  }
}

function listCrop(crop: Crop | undefined): number[] {
  return crop === undefined ? [] : [crop.x, crop.y, crop.width, crop.height];
}
