import { randomUUID } from 'node:crypto';
import { idFromUuid, isId } from '@attache/contracts';
import { expect, it } from 'vitest';
import { variantUuid } from './variant-id.ts';

const tenantId = randomUUID();
const sha256 = 'c'.repeat(64);
const recipe = { purpose: 'preview', maxEdgePixels: 320 } as const;

it('gives the same id to the same recipe on the same bytes of a tenant, and another to anything else [DL-07 DL-45]', () => {
  const id = variantUuid(tenantId, sha256, recipe);
  expect(variantUuid(tenantId, sha256, { ...recipe })).toBe(id);
  expect(isId('variant', idFromUuid('variant', id))).toBe(true);
  const others = [
    variantUuid(randomUUID(), sha256, recipe),
    variantUuid(tenantId, 'd'.repeat(64), recipe),
    variantUuid(tenantId, sha256, { ...recipe, maxEdgePixels: 321 }),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
});
