import type { PlanItem, PlanRecipe } from '@attache/contracts';
import { formatBytes } from '../operator/format-table.ts';

/** How the form of a plan is made, in a few words. */
export function describeForm({ becomes, recipe }: Pick<PlanItem, 'becomes' | 'recipe'>, sourceType: string): string {
  if (becomes === 'blocked') return '-';
  if (becomes === 'tool') return 'read by a tool';
  if (becomes === 'descriptor') return 'its name alone';
  return recipe === undefined ? 'as it is' : describeRecipe(recipe, sourceType);
}

function describeRecipe(recipe: PlanRecipe, sourceType: string): string {
  switch (recipe.purpose) {
    case 'inline-image': {
      const [from, to] = [shortName(sourceType), shortName(recipe.mimeType)];
      return `${from === to ? to : `${from} → ${to}`} ${limitsOf(recipe)}`;
    }
    case 'page-images':
      return `${recipe.pages === 1 ? '1 page' : `${recipe.pages} pages`} as ${shortName(recipe.mimeType)} ${limitsOf(recipe)} each`;
    case 'page-image':
      return `page ${recipe.page} as ${shortName(recipe.mimeType)} ${limitsOf(recipe)}`;
    case 'document-text':
      return `its text, ${formatBytes(recipe.maxBytes)}`;
    case 'decoded-text':
      return `text, ${recipe.encoding} → utf-8`;
    case 'preview':
      return `preview ≤ ${recipe.maxEdgePixels} px`;
    default:
      return recipe satisfies never;
  }
}

function limitsOf({ maxEdgePixels, maxBytes }: { maxEdgePixels: number; maxBytes: number }): string {
  return `≤ ${maxEdgePixels} px ≤ ${formatBytes(maxBytes)}`;
}

/** `image/svg+xml` is `SVG`. */
function shortName(mimeType: string): string {
  const [, subtype = mimeType] = /\/(?:x-)?([^+;]+)/.exec(mimeType) ?? [];
  return subtype.toUpperCase();
}
