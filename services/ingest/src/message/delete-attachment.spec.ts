import { idFromUuid } from '@attache/contracts';
import { findAttachment } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { callerOf, openScene } from '../__fixtures__/open-scene.ts';
import { deleteAttachment, discardAttachments } from './delete-attachment.ts';

it('deletes an attachment once; from then on nobody knows it', async () => {
  const scene = await openScene();
  const { deps, caller, tenantId, readEvents } = scene;
  const { attachmentId } = await createAttachment(deps.db, scene);
  await deleteAttachment(deps, caller, attachmentId);
  const data = { attachmentId: idFromUuid('attachment', attachmentId) };
  expect((await readEvents()).at(-1)).toMatchObject({ kind: 'attachment.deleted', data });
  expect(await deps.db.readAsTenant(tenantId, (tx) => findAttachment(tx, attachmentId))).toBeFalsy();
  await expect(deleteAttachment(deps, caller, attachmentId)).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
});

it('knows no attachment of another tenant', async () => {
  const scene = await openScene();
  const { attachmentId } = await createAttachment(scene.deps.db, scene);
  const foreign = callerOf((await openScene()).tenantId);
  const asked = deleteAttachment(scene.deps, foreign, attachmentId);
  await expect(asked).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
});

it('takes back what came with a refused message, each with its event', async () => {
  const scene = await openScene();
  const { deps, caller, readEvents } = scene;
  const made = [await createAttachment(deps.db, scene), await createAttachment(deps.db, scene)];
  await discardAttachments(
    deps,
    caller,
    made.map(({ attachmentId }) => attachmentId),
  );
  const deleted = (await readEvents()).filter(({ kind }) => kind === 'attachment.deleted');
  expect(deleted).toHaveLength(2);
});
