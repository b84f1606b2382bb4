import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { deleteAttachment } from '@attache/database';
import { createAttachment, createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { logView, readGranted, readGrantedBytes } from './read-granted.ts';
import type { SocketOwner } from './socket-owner.ts';

const ownerOf = ({ session, agentId }: Fixture): SocketOwner => ({
  session,
  agentId,
  token: 'token',
  folder: '/nowhere',
});

async function grant(fixture: Fixture): Promise<string> {
  const { attachmentId } = await createAttachment(fixture.deps.db, fixture);
  await createDelivery(fixture.deps.db, fixture, [attachmentId]);
  return attachmentId;
}

it('gives an agent what a message granted to it, and says in the log that it looked', async () => {
  const fixture = await openFixture();
  const id = idFromUuid('attachment', await grant(fixture));
  const granted = await readGranted(fixture.deps, ownerOf(fixture), id);
  expect(granted).toMatchObject({ attachment: { id }, sizeBytes: 42 });
  await logView(fixture.deps, ownerOf(fixture), granted);
  expect((await fixture.readEvents()).at(-1)).toMatchObject({ kind: 'resource.viewed', data: { attachmentId: id } });
});

it('has no bytes of a file that is still being looked into', async () => {
  const fixture = await openFixture();
  const id = idFromUuid('attachment', await grant(fixture));
  const read = readGrantedBytes(fixture.deps, ownerOf(fixture), id);
  await expect(read).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
});

it('knows nothing that is malformed, unknown, of another session, not granted or deleted, in the same words [S2]', async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  const { deps, tenantId } = fixture;
  const { attachmentId: uploaded } = await createAttachment(deps.db, fixture);
  const deleted = await grant(fixture);
  await deps.db.asTenant(tenantId, (tx) => deleteAttachment(tx, deleted));
  const uuids = [randomUUID(), await grant(other), uploaded, deleted];
  const ids = ['att_../../etc/passwd', ...uuids.map((uuid) => idFromUuid('attachment', uuid))];
  const said = await Promise.all(
    ids.map((id) => readGranted(deps, ownerOf(fixture), id).catch((error: Error) => error.message)),
  );
  expect(new Set(said)).toEqual(new Set(['There is no such attachment for this agent.']));
});
