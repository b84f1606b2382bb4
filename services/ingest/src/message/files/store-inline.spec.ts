import { type AttachmentId, uuidFromId } from '@attache/contracts';
import { findAttachment, type Tx } from '@attache/database';
import { expect, it } from 'vitest';
import { callerOf, openFixture } from '../../__fixtures__/open-fixture.ts';
import { storeInline } from './store-inline.ts';

const find = async (tx: Tx, attachment?: { id: AttachmentId }) =>
  attachment === undefined ? undefined : findAttachment(tx, uuidFromId(attachment.id));
const dataOf = (bytes: Buffer) => Buffer.from(bytes.toString('base64'));
const text = { data: dataOf(Buffer.from('hello')), mimeType: 'text/plain', filename: 'a.txt' };

it('stores files that come inside a message as uploads of its session [DL-46]', async () => {
  const { deps, caller, tenantId, sessionId, readEvents, takePublished } = await openFixture();
  const url = { ...text, data: Buffer.from(`data:text/plain;base64,${text.data}`), filename: 'b.txt' };
  const [first, ...others] = await storeInline(deps, caller, sessionId, [text, url]);
  expect(others).toHaveLength(1);
  const stored = await deps.db.readAsTenant(tenantId, (tx) => find(tx, first));
  expect(stored).toMatchObject({ sessionId, attachment: { name: 'a.txt', sizeBytes: 5 } });
  expect((await readEvents()).filter(({ kind }) => kind === 'attachment.added')).toHaveLength(2);
  expect(takePublished()).toEqual([]);
});

const picture = {
  data: dataOf(Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1')),
  mimeType: 'image/png',
  filename: 'a.png',
};

it('stores a text as ready, and a picture for the projector to look at', async () => {
  const { deps, caller, tenantId, sessionId, readEvents, takePublished } = await openFixture();
  const all = await storeInline(deps, caller, sessionId, [text, picture]);
  const stored = await deps.db.readAsTenant(tenantId, (tx) => Promise.all(all.map((one) => find(tx, one))));
  const facts = { encoding: 'utf-8', hasByteOrderMark: false };
  expect(stored.map((one) => one?.attachment)).toMatchObject([
    { name: 'a.txt', status: 'ready', kind: 'text', mimeType: 'text/plain', facts, warnings: [] },
    { name: 'a.png', status: 'pending', kind: 'image', facts: {} },
  ]);
  const ready = { actor: { type: 'service', id: 'ingest' }, data: { kind: 'text', mimeType: 'text/plain', facts } };
  expect(await readEvents()).toMatchObject([
    { kind: 'attachment.added', actor: caller.actor, data: { kind: 'text', mimeType: 'text/plain' } },
    { kind: 'attachment.ready', ...ready },
    { kind: 'attachment.added', data: { kind: 'image' } },
  ]);
  expect(takePublished()).toEqual(['attachment.added']);
});

it.each([
  ['that are no base64', 'INVALID_REQUEST', { ...text, data: Buffer.from('!!') }],
  ['that are longer than allowed', 'PAYLOAD_TOO_LARGE', { ...text, data: dataOf(Buffer.alloc(1_001)) }],
])('stores nothing of files %s', async (_title, code, bad) => {
  const { deps, caller, sessionId, readEvents } = await openFixture();
  await expect(storeInline(deps, caller, sessionId, [text, bad])).rejects.toMatchObject({ code });
  expect(await readEvents()).toEqual([]);
});

it('asks for the right to write attachments', async () => {
  const { deps, tenantId, sessionId } = await openFixture();
  const caller = callerOf(tenantId, { rights: new Set(['messages:send']) });
  await expect(storeInline(deps, caller, sessionId, [text])).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
