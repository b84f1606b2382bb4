import type { PlanItem, Recipe } from '@attache/contracts';

/** How the variants of a plan's item are made, in the order of its part's references; none where it goes as it is. */
export function listRecipes({ recipe }: Pick<PlanItem, 'recipe'>): Recipe[] {
  if (recipe === undefined) return [];
  if (recipe.purpose !== 'page-images') return [recipe];
  const { pages, mimeType, maxEdgePixels, maxBytes } = recipe;
  return Array.from({ length: pages }, (_, index) => ({
    purpose: 'page-image',
    page: index + 1,
    mimeType,
    maxEdgePixels,
    maxBytes,
  }));
}
