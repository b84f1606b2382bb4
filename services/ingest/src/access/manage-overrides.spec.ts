import { insertContradiction } from '@attache/database';
import { expect, it } from 'vitest';
import { openFixture } from '../__fixtures__/open-fixture.ts';
import { putOverride, readCapability, removeOverride } from './manage-overrides.ts';

const place = { profile: 'words', model: 'mystery-1' };
const said = { ...place, capability: { image: true }, reason: 'seen in its documents' };

it('holds until it is taken back, for its tenant alone', async () => {
  const { deps, caller } = await openFixture();
  const other = await openFixture();
  const readImage = async (by: typeof caller) => (await readCapability(deps, by, place)).capability.image.model;
  const before = await readImage(caller);
  const row = await putOverride(deps, caller, said);
  expect(row).toMatchObject({ ...place, reason: said.reason, author: caller.actor });
  expect(await readImage(caller)).not.toEqual(before);
  expect(await readImage(other.caller)).toEqual(before);
  await removeOverride(deps, caller, place);
  await removeOverride(deps, caller, place);
  expect(await readImage(caller)).toEqual(before);
});

it('refuses a target that nobody offers', async () => {
  const { deps, caller } = await openFixture();
  const unknown = { ...said, profile: 'nobody' };
  await expect(putOverride(deps, caller, unknown)).rejects.toMatchObject({ code: 'TARGET_UNKNOWN' });
});

it('tells what contradicts the catalog, of its tenant and of all; no word of the tenant opens it again [DL-58 DL-100]', async () => {
  const [{ deps, caller, tenantId }, other] = [await openFixture(), await openFixture()];
  const seeing = { profile: 'example', model: 'example-vision' };
  const readImage = async (by: typeof caller) => (await readCapability(deps, by, seeing)).capability.image;
  expect((await readImage(caller)).transport).toBe('yes');
  const image = { row: 'acp example', kind: 'image', programVersion: '1', note: 'it was dropped' } as const;
  await deps.db.asTenant(tenantId, (tx) => insertContradiction(tx, { tenantId, ...image }));
  expect(await readImage(caller)).toMatchObject({
    transport: 'no',
    model: 'yes',
    evidence: { transport: { source: 'contradicted', date: expect.any(String), note: image.note } },
  });
  const said = { ...seeing, capability: { image: true }, reason: 'it works for us' };
  await expect(putOverride(deps, caller, said)).rejects.toMatchObject({ message: expect.stringContaining(image.note) });
  expect((await readImage(other.caller)).transport).toBe('yes');
});
