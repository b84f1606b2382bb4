import type { VariantReply, VariantTask } from '../worker-protocol.ts';
import { isDecodable } from './image-formats.ts';
import { makeDecodedText } from './make-decoded-text.ts';
import { makeInlineImage } from './make-inline-image.ts';
import { makePreview } from './make-preview.ts';

/** Makes the derived form that a recipe describes. */
export async function makeVariant(task: VariantTask): Promise<VariantReply> {
  const { recipe, mimeType } = task;
  if (recipe.purpose === 'decoded-text') return makeDecodedText(task, recipe);
  if (!isDecodable(mimeType)) {
    const diagnostic = `No image can be made of ${mimeType}.`;
    return { status: 'failed', problem: { code: 'attachment_type_unsupported', diagnostic } };
  }
  return recipe.purpose === 'preview' ? makePreview(task, recipe) : makeInlineImage(task, recipe);
}
