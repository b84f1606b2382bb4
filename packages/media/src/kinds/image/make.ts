import type { VariantReply, VariantTask } from '../../worker-protocol.ts';
import { makeInlineImage } from './make-inline-image.ts';
import { makePreview } from './make-preview.ts';

/** Another image of an image: for a model, or for people. */
export function makeFromImage(task: VariantTask): Promise<VariantReply> | undefined {
  const { recipe } = task;
  if (recipe.purpose === 'inline-image') return makeInlineImage(task, recipe);
  return recipe.purpose === 'preview' ? makePreview(task, recipe) : undefined;
}
