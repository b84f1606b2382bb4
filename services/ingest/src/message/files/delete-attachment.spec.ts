import { idFromUuid } from '@attache/contracts';
import { findAttachment } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { callerOf, openFixture } from '../../__fixtures__/open-fixture.ts';
import { deleteAttachment, discardAttachments } from './delete-attachment.ts';

it('deletes an attachment once; from then on nobody knows it', async () => {
  const fixture = await openFixture();
  const { deps, caller, tenantId, readEvents } = fixture;
  const { attachmentId } = await createAttachment(deps.db, fixture);
  await deleteAttachment(deps, caller, attachmentId);
  const data = { attachmentId: idFromUuid('attachment', attachmentId) };
  expect((await readEvents()).at(-1)).toMatchObject({ kind: 'attachment.deleted', data });
  expect(await deps.db.readAsTenant(tenantId, (tx) => findAttachment(tx, attachmentId))).toBeFalsy();
  await expect(deleteAttachment(deps, caller, attachmentId)).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
});

it('knows no attachment of another tenant', async () => {
  const fixture = await openFixture();
  const { attachmentId } = await createAttachment(fixture.deps.db, fixture);
  const foreign = callerOf((await openFixture()).tenantId);
  const asked = deleteAttachment(fixture.deps, foreign, attachmentId);
  await expect(asked).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
});

it('takes back what came with a refused message, each with its event', async () => {
  const fixture = await openFixture();
  const { deps, caller, readEvents } = fixture;
  const made = [await createAttachment(deps.db, fixture), await createAttachment(deps.db, fixture)];
  await discardAttachments(
    deps,
    caller,
    made.map(({ attachmentId }) => attachmentId),
  );
  const deleted = (await readEvents()).filter(({ kind }) => kind === 'attachment.deleted');
  expect(deleted).toHaveLength(2);
});
