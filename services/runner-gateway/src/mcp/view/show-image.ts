import { readFile } from 'node:fs/promises';
import type { Granted } from '../../granted/read-granted.ts';
import type { ToolScope } from '../agent-tool.ts';
import type { Refusal, Shown } from '../tool-answer.ts';
import { answerImage } from './answer-image.ts';
import type { ImageRecipe, ShownView } from './choose-view.ts';
import { describeOriginal, identify, refusalOf } from './describe-shown.ts';
import { fetchOriginal, withViewFiles } from './view-files.ts';

/** The original's own bytes, as they were uploaded. */
export async function showOriginal(scope: ToolScope, granted: Granted): Promise<Shown | Refusal> {
  const { attachment } = granted;
  const { mimeType, sizeBytes, sha256 } = attachment;
  return withViewFiles(scope, async ({ originalPath }) => {
    const refusal = await fetchOriginal(scope, granted, originalPath);
    if (refusal) return refusal;
    const { width, height } = attachment.facts;
    const shown = { of: 'original', mimeType, sizeBytes, sha256, width, height };
    const facts = { ...identify(attachment), form: 'image', shown, scale: 1 };
    const answer = answerImage({ bytes: await readFile(originalPath), mimeType }, facts);
    return { answer, bytes: { sha256, sizeBytes } };
  });
}

/** A page, a part of an image, one frame of it, or a smaller one. It is made for this answer alone. */
export async function showDerived(
  scope: ToolScope,
  granted: Granted,
  { recipe, isStill }: Extract<ShownView, { form: 'image' }>,
): Promise<Shown | Refusal> {
  const { attachment } = granted;
  const { mimeType, facts } = attachment;
  return withViewFiles(scope, async ({ originalPath, madePath }) => {
    const refusal = await fetchOriginal(scope, granted, originalPath);
    if (refusal) return refusal;
    const { tenantId } = scope.owner.session;
    const job = { tenantId, path: originalPath, outputPath: madePath, mimeType, facts, recipe, signal: scope.signal };
    const made = await scope.deps.media.makeVariant(job);
    if (made.status === 'failed') return refusalOf(made);
    const { sizeBytes, sha256, width, height, scale } = made;
    const answer = answerImage(
      { bytes: await readFile(madePath), mimeType: made.mimeType },
      {
        ...identify(attachment),
        form: 'image',
        shown: { of: 'variant', mimeType: made.mimeType, sizeBytes, sha256, width, height },
        original: describeOriginal(attachment),
        ...describePlace(recipe),
        ...(isStill ? { frame: 1, frames: facts.frames } : {}),
        ...(made.warnings.length > 0 && { warnings: made.warnings.map(({ message }) => message) }),
        scale,
      },
    );
    return { answer, bytes: { sha256, sizeBytes } };
  });
}

// Maps a coordinate of the shown image back to one of the original (BX-13).
function describePlace(recipe: ImageRecipe): Record<string, unknown> {
  if (recipe.purpose === 'page-image')
    return { page: recipe.page, mapping: 'points of the page (1/72 inch) = shown pixels / scale' };
  const { crop } = recipe;
  if (!crop) return { mapping: 'pixels of the original = shown pixels / scale' };
  return { crop, mapping: 'pixels of the original = crop.x or crop.y + shown pixels / scale' };
}
