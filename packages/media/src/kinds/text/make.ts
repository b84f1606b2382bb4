import type { VariantReply, VariantTask } from '../../worker-protocol.ts';
import { makeDecodedText } from './make-decoded-text.ts';

/** The text of a file in UTF-8. */
export function makeFromText(task: VariantTask): VariantReply | undefined {
  const { recipe } = task;
  return recipe.purpose === 'decoded-text' ? makeDecodedText(task, recipe) : undefined;
}
