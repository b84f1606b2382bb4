import type { VariantReply, VariantTask } from '../worker-protocol.ts';
import { isImage } from './image/image-formats.ts';
import { makeInlineImage } from './image/make-inline-image.ts';
import { makePreview } from './image/make-preview.ts';
import { makeDocumentText } from './pdf/make-document-text.ts';
import { makePageImage } from './pdf/make-page-image.ts';
import { makeDecodedText } from './text/make-decoded-text.ts';

/** Makes the derived form that a recipe describes. */
export async function makeVariant(task: VariantTask): Promise<VariantReply> {
  const { recipe, mimeType } = task;
  switch (recipe.purpose) {
    case 'decoded-text':
      return makeDecodedText(task, recipe);
    case 'page-image':
      return isPdf(mimeType) ? makePageImage(task, recipe) : refuse(`No pages can be made of ${mimeType}.`);
    case 'document-text':
      return isPdf(mimeType) ? makeDocumentText(task, recipe) : refuse(`No text can be taken from ${mimeType}.`);
    case 'inline-image':
      return isImage(mimeType) ? makeInlineImage(task, recipe) : refuse(`No image can be made of ${mimeType}.`);
    case 'preview':
      return isImage(mimeType) ? makePreview(task, recipe) : refuse(`No image can be made of ${mimeType}.`);
    default:
      return recipe satisfies never;
  }
}

function isPdf(mimeType: string): boolean {
  return mimeType === 'application/pdf';
}

function refuse(diagnostic: string): VariantReply {
  return { status: 'failed', problem: { code: 'attachment_type_unsupported', diagnostic } };
}
