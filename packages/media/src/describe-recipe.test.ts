import type { Recipe } from '@attache/contracts';
import { expect, it } from 'vitest';
import { describeRecipe } from './describe-recipe.ts';

const image: Recipe = { purpose: 'inline-image', mimeType: 'image/png', maxEdgePixels: 1568, maxBytes: 5_000_000 };
const page: Recipe = { ...image, purpose: 'page-image', mimeType: 'image/jpeg', page: 3 };

it('spells a recipe in one way, with purpose, output type, dimensions and optimiser version [DL-45 DL-07]', () => {
  expect(describeRecipe(image)).toBe('["media",3,"inline-image","image/png",1568,5000000]');
  expect(describeRecipe({ ...image, crop: { x: 1, y: 2, width: 30, height: 40 } })).toBe(
    '["media",3,"inline-image","image/png",1568,5000000,1,2,30,40]',
  );
  expect(describeRecipe({ purpose: 'preview', maxEdgePixels: 512 })).toBe('["media",3,"preview","image/webp",512]');
  expect(describeRecipe({ purpose: 'decoded-text', encoding: 'UTF-16LE', maxBytes: 9 })).toBe(
    '["media",3,"decoded-text","text/plain","utf-16le",9]',
  );
  const mixed = { encoding: 'utf-8', linesAs: 'cp850', withoutMedia: true, maxBytes: 9 };
  expect(describeRecipe({ purpose: 'decoded-text', ...mixed })).toBe(
    '["media",3,"decoded-text","text/plain","utf-8",9,"cp850","without-media"]',
  );
  expect(describeRecipe(page)).toBe('["media",3,"page-image","image/jpeg",3,1568,5000000]');
  expect(describeRecipe({ purpose: 'document-text', maxBytes: 9 })).toBe('["media",3,"document-text","text/plain",9]');
});

it('does not depend on the order of the fields, and tells different recipes apart [DL-45]', () => {
  const { purpose, mimeType, maxEdgePixels, maxBytes } = image;
  expect(describeRecipe({ maxBytes, maxEdgePixels, mimeType, purpose })).toBe(describeRecipe(image));
  expect(describeRecipe({ ...image, maxBytes: 4_999_999 })).not.toBe(describeRecipe(image));
  expect(describeRecipe({ ...page, page: 4 })).not.toBe(describeRecipe(page));
});
