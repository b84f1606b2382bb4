import { idFromUuid } from '@attache/contracts';
import { type QuarantinedPart, readNextDelivery } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { openScene, prepareJourney, readAgent, type Scene } from '../__fixtures__/open-scene.ts';
import { keepQuarantined } from './keep-quarantined.ts';

const strange: QuarantinedPart = { wireSha256: 'b'.repeat(64), code: 'file_refused', isGroup: true };

async function partOf(scene: Scene): Promise<QuarantinedPart> {
  const { attachmentId } = await createAttachment(scene.deps.db, scene);
  return { ...strange, wireSha256: 'a'.repeat(64), attachmentId: idFromUuid('attachment', attachmentId) };
}

/** Keeps these parts; answers which of them count as kept. */
async function keep(scene: Scene, parts: readonly QuarantinedPart[], change: Partial<Scene['deps']> = {}) {
  const kept: QuarantinedPart[] = [];
  const quarantine = { listUnkept: () => parts, noteKept: (these: readonly QuarantinedPart[]) => kept.push(...these) };
  const owner = { session: scene.session, agent: await readAgent(scene) };
  await keepQuarantined({ ...scene.deps, ...change }, owner, quarantine);
  return kept;
}

const readKept = async (scene: Scene) => {
  await prepareJourney(scene);
  return (await readNextDelivery(scene.deps.db, scene))?.quarantined;
};
const readTold = async (scene: Scene) =>
  (await scene.readEvents()).filter(({ kind }) => kind === 'attachment.quarantined').map(({ data }) => data);

it('records what a model refused for the next process of the agent, and says so of each attachment [BX-02]', async () => {
  const scene = await openScene();
  const ours = await partOf(scene);
  expect(await keep(scene, [ours, strange])).toEqual([ours, strange]);
  expect(await readKept(scene)).toEqual([ours, strange]);
  expect(await readTold(scene)).toMatchObject([
    { attachmentId: ours.attachmentId, wireSha256: ours.wireSha256, code: 'file_refused', group: true },
  ]);
});

it('waits for the database no more than once, and not at all where nothing was refused', async () => {
  const scene = await openScene();
  const agent = await readAgent(scene);
  scene.takeRoundTrips();
  await keepQuarantined(
    scene.deps,
    { session: scene.session, agent },
    { listUnkept: () => [], noteKept: () => undefined },
  );
  expect(scene.takeRoundTrips()).toBe(0);
});

it('leaves what could not be recorded for the next time, and does not fail the delivery', async () => {
  const scene = await openScene();
  const asOwner = () => Promise.reject(new Error('the database said no'));
  const ownership = { ...scene.deps.ownership, asOwner };
  expect(await keep(scene, [strange], { ownership })).toEqual([]);
  expect(await keep(scene, [strange])).toEqual([strange]);
});
