import { idFromUuid, type Part } from '@attache/contracts';
import { deleteAttachment, setAgentTarget } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { claimJourney, openScene, type Scene } from '../__fixtures__/open-scene.ts';
import { noteWriting, StoppedBeforeWrite } from './note-writing.ts';
import { cancelUnwritten, type Journey } from './record-delivery.ts';

const contents = { text: () => '' };

async function claim(scene: Scene, attachmentIds: readonly string[] = []): Promise<Journey> {
  const journey = await claimJourney(scene, attachmentIds);
  const named = attachmentIds.map((id): Part => {
    const attachmentId = idFromUuid('attachment', id);
    return { type: 'descriptor', attachmentId, text: 'a file' };
  });
  return { ...journey, row: { ...journey.row, parts: [...(journey.row.parts ?? []), ...named] } };
}

it('notes that a byte may be out from now on', async () => {
  const scene = await openScene();
  const journey = await claim(scene);
  await noteWriting(scene.deps, journey, contents);
  expect((await scene.readRow(journey.row.id)).writingAt).toBeInstanceOf(Date);
});

it('stops where the delivery was cancelled meanwhile, without a failure of its own', async () => {
  const scene = await openScene();
  const journey = await claim(scene);
  await cancelUnwritten(scene.deps, scene.session, journey.row);
  const noted = noteWriting(scene.deps, journey, contents);
  await expect(noted).rejects.toMatchObject({ failure: undefined });
  await expect(noted).rejects.toBeInstanceOf(StoppedBeforeWrite);
});

it('stops where the agent has another target than was planned for', async () => {
  const scene = await openScene();
  const { deps, tenantId, sessionId, agentId } = scene;
  const journey = await claim(scene);
  const target = { profile: 'other', runtime: 'acp', provider: 'p', model: 'm' } as const;
  await deps.db.asTenant(tenantId, (tx) => setAgentTarget(tx, { sessionId, agentId, version: 1 }, target));
  const moved = { ...journey, agent: { ...journey.agent, targetVersion: 2 } };
  await expect(noteWriting(deps, moved, contents)).rejects.toMatchObject({
    failure: { code: 'delivery_target_unknown' },
  });
});

it('stops where a file was deleted meanwhile', async () => {
  const scene = await openScene();
  const { attachmentId } = await createAttachment(scene.deps.db, scene);
  const journey = await claim(scene, [attachmentId]);
  await scene.deps.db.asTenant(scene.tenantId, (tx) => deleteAttachment(tx, attachmentId));
  const failure = { code: 'attachment_missing', attachmentId: idFromUuid('attachment', attachmentId) };
  await expect(noteWriting(scene.deps, journey, contents)).rejects.toMatchObject({ failure });
});
