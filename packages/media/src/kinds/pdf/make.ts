import type { VariantReply, VariantTask } from '../../worker-protocol.ts';
import { makeDocumentText } from './make-document-text.ts';
import { makePageImage } from './make-page-image.ts';

/** A page of a PDF, or its text. */
export function makeFromPdf(task: VariantTask): Promise<VariantReply> | undefined {
  const { recipe } = task;
  if (recipe.purpose === 'page-image') return makePageImage(task, recipe);
  return recipe.purpose === 'document-text' ? makeDocumentText(task, recipe) : undefined;
}
