import { uuidFromId } from '@attache/contracts';
import { expect, it } from 'vitest';
import { callerOf, openFixture } from '../__fixtures__/open-fixture.ts';
import { createKey, replaceKey, revokeKey } from './manage-keys.ts';

const request = { name: 'first', scopes: ['read' as const] };

it('makes a key, replaces it and ends it, and keeps each answer', async () => {
  const { deps, caller, keep, kept } = await openFixture();
  const made = await createKey(deps, caller, request, keep);
  const keyId = uuidFromId(made.key.id);
  const next = await replaceKey(deps, caller, { keyId, overlapSeconds: 0 }, keep);
  expect(next.key.scopes).toEqual(['read']);
  expect(next.secret).not.toBe(made.secret);
  expect(kept).toEqual([made, next]);
  await revokeKey(deps, caller, uuidFromId(next.key.id));
});

it('gives no key a right that the caller lacks, nor its traces more trust', async () => {
  const { deps, tenantId, keep, kept } = await openFixture();
  const caller = callerOf(tenantId, { rights: new Set(['keys:manage', 'attachments:read']) });
  for (const beyond of [
    { ...request, scopes: ['admin' as const] },
    { ...request, scopes: [], trustedTrace: true },
  ])
    await expect(createKey(deps, caller, beyond, keep)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(kept).toEqual([]);
});

it('knows no key of another tenant', async () => {
  const { deps, caller, keep } = await openFixture();
  const other = await openFixture();
  const { key } = await createKey(deps, other.caller, request, other.keep);
  const keyId = uuidFromId(key.id);
  await expect(revokeKey(deps, caller, keyId)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
  await expect(replaceKey(deps, caller, { keyId }, keep)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
});
