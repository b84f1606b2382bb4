import { uuidFromId } from '@attache/contracts';
import { findAttachment } from '@attache/database';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { readGranted } from './read-granted.ts';
import { storeOutput } from './store-output.ts';

const ownerOf = ({ session, agentId }: Fixture) => ({ session, agentId, token: 'token', folder: '/nowhere' });

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const outputOf = (text: string) => ({
  stream: once(text),
  sizeBytes: undefined,
  name: 'a.txt',
  declaredMimeType: undefined,
});

it('stores what a tool made as an attachment of the session that its agent may read [AT-33]', async () => {
  const fixture = await openFixture();
  const { deps, tenantId } = fixture;
  const output = await storeOutput(deps, ownerOf(fixture), outputOf('made by a tool'));
  const stored = await deps.db.readAsTenant(tenantId, (tx) => findAttachment(tx, uuidFromId(output.attachmentId)));
  const attachment = { origin: 'tool-output', name: 'a.txt', status: 'ready', kind: 'text' };
  expect(stored).toMatchObject({ sessionId: fixture.sessionId, attachment });
  expect((await fixture.readEvents()).slice(-3)).toMatchObject([
    { kind: 'attachment.added', actor: { type: 'agent' } },
    { kind: 'grant.created', actor: { type: 'agent' } },
    { kind: 'attachment.ready', actor: { type: 'service', id: 'runner-gateway' } },
  ]);
  expect(await readGranted(deps, ownerOf(fixture), output.attachmentId)).toMatchObject({ sizeBytes: 14 });
});

it('refuses more than an output may have', async () => {
  const fixture = await openFixture();
  const stored = storeOutput(fixture.deps, ownerOf(fixture), outputOf('x'.repeat(1_001)));
  await expect(stored).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
});
