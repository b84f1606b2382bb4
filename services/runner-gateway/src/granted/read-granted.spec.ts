import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { deleteAttachment } from '@attache/database';
import { createAttachment, createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { openScene, type Scene } from '../__fixtures__/open-scene.ts';
import { logView, readGranted, readGrantedBytes } from './read-granted.ts';
import type { SocketOwner } from './socket-owner.ts';

const ownerOf = ({ session, agentId }: Scene): SocketOwner => ({
  session,
  agentId,
  token: 'token',
  folder: '/nowhere',
});

async function grant(scene: Scene): Promise<string> {
  const { attachmentId } = await createAttachment(scene.deps.db, scene);
  await createDelivery(scene.deps.db, scene, [attachmentId]);
  return attachmentId;
}

it('gives an agent what a message granted to it, and says in the log that it looked', async () => {
  const scene = await openScene();
  const id = idFromUuid('attachment', await grant(scene));
  const granted = await readGranted(scene.deps, ownerOf(scene), id);
  expect(granted).toMatchObject({ attachment: { id }, sizeBytes: 42 });
  await logView(scene.deps, ownerOf(scene), granted);
  expect((await scene.readEvents()).at(-1)).toMatchObject({ kind: 'resource.viewed', data: { attachmentId: id } });
});

it('has no bytes of a file that is still being looked into', async () => {
  const scene = await openScene();
  const id = idFromUuid('attachment', await grant(scene));
  const read = readGrantedBytes(scene.deps, ownerOf(scene), id);
  await expect(read).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
});

it('knows nothing that is malformed, unknown, of another session, not granted or deleted, in the same words [S2]', async () => {
  const [scene, other] = [await openScene(), await openScene()];
  const { deps, tenantId } = scene;
  const { attachmentId: uploaded } = await createAttachment(deps.db, scene);
  const deleted = await grant(scene);
  await deps.db.asTenant(tenantId, (tx) => deleteAttachment(tx, deleted));
  const uuids = [randomUUID(), await grant(other), uploaded, deleted];
  const ids = ['att_../../etc/passwd', ...uuids.map((uuid) => idFromUuid('attachment', uuid))];
  const said = await Promise.all(
    ids.map((id) => readGranted(deps, ownerOf(scene), id).catch((error: Error) => error.message)),
  );
  expect(new Set(said)).toEqual(new Set(['There is no such attachment for this agent.']));
});
