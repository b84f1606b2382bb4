import type { VariantPurpose } from '@attache/contracts';
import type { VariantReply, VariantTask } from '../worker-protocol.ts';
import { findKind } from './kinds.ts';

/** Makes the derived form that a recipe describes. */
export async function makeVariant(task: VariantTask): Promise<VariantReply> {
  return (await findKind(task.mimeType).make?.(task)) ?? refuse(task);
}

const refusals: Record<VariantPurpose, string> = {
  'decoded-text': 'No text can be decoded from',
  'page-image': 'No pages can be made of',
  'document-text': 'No text can be taken from',
  'inline-image': 'No image can be made of',
  preview: 'No image can be made of',
};

function refuse({ recipe, mimeType }: VariantTask): VariantReply {
  const diagnostic = `${refusals[recipe.purpose]} ${mimeType}.`;
  return { status: 'failed', problem: { code: 'attachment_type_unsupported', diagnostic } };
}
