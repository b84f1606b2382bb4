import { idFromUuid, uuidFromId } from '@attache/contracts';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { callerOf, openScene, type Scene } from '../__fixtures__/open-scene.ts';
import { createGrant, revokeGrant } from './manage-grants.ts';

async function requestFor(scene: Scene) {
  const { attachmentId } = await createAttachment(scene.deps.db, scene);
  const ids = { attachmentId: idFromUuid('attachment', attachmentId), agentId: idFromUuid('agent', scene.agentId) };
  return { ...ids, rights: ['read' as const] };
}

it('grants an agent a file of its session and takes the grant back, each with its event', async () => {
  const scene = await openScene();
  const { deps, caller, sessionId, keep, kept, readEvents } = scene;
  const grant = await createGrant(deps, caller, sessionId, await requestFor(scene), keep);
  expect(kept).toEqual([{ grant }]);
  await revokeGrant(deps, caller, sessionId, uuidFromId(grant.id));
  const told = (await readEvents()).filter(({ kind }) => kind.startsWith('grant.'));
  expect(told).toMatchObject([
    { kind: 'grant.created', data: { grantId: grant.id } },
    { kind: 'grant.revoked', data: { grantId: grant.id } },
  ]);
});

it('knows no file and no agent of another session', async () => {
  const [scene, other] = [await openScene(), await openScene()];
  const { deps, caller, sessionId, keep } = scene;
  const [own, foreign] = [await requestFor(scene), await requestFor(other)];
  const withFile = { ...own, attachmentId: foreign.attachmentId };
  const withAgent = { ...own, agentId: foreign.agentId };
  const asks = [
    [withFile, 'ATTACHMENT_NOT_FOUND'],
    [withAgent, 'AGENT_NOT_FOUND'],
  ] as const;
  for (const [request, code] of asks)
    await expect(createGrant(deps, caller, sessionId, request, keep)).rejects.toMatchObject({ code });
});

it('gives nobody a right that the caller lacks, and none that is over already', async () => {
  const scene = await openScene();
  const { deps, caller, tenantId, sessionId, keep, kept } = scene;
  const request = await requestFor(scene);
  const blind = callerOf(tenantId, { rights: new Set(['grants:manage']) });
  await expect(createGrant(deps, blind, sessionId, request, keep)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const over = { ...request, expiresAt: '2020-01-01T00:00:00.000Z' };
  await expect(createGrant(deps, caller, sessionId, over, keep)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect(kept).toEqual([]);
});
