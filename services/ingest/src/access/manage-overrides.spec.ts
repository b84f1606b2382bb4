import { expect, it } from 'vitest';
import { openScene } from '../__fixtures__/open-scene.ts';
import { putOverride, readCapability, removeOverride } from './manage-overrides.ts';

const place = { profile: 'words', model: 'mystery-1' };
const said = { ...place, capability: { image: true }, reason: 'seen in its documents' };

it('holds until it is taken back, for its tenant alone', async () => {
  const { deps, caller } = await openScene();
  const other = await openScene();
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
  const { deps, caller } = await openScene();
  const unknown = { ...said, profile: 'nobody' };
  await expect(putOverride(deps, caller, unknown)).rejects.toMatchObject({ code: 'TARGET_UNKNOWN' });
});
