import { createHash } from 'node:crypto';
import type { Recipe } from '@attache/contracts';
import { describeRecipe } from '@attache/media';

/** Uuid of a variant: a hash of tenant, source digest and recipe, so that a retry makes nothing new (DL-45). */
export function variantUuid(tenantId: string, sourceSha256: string, recipe: Recipe): string {
  const hash = createHash('sha256')
    .update([tenantId, sourceSha256, describeRecipe(recipe)].join('\n'))
    .digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-');
}
