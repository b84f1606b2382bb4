import { findAttachment } from '@attache/database';
import { expect, it } from 'vitest';
import { callerOf, openScene } from '../__fixtures__/open-scene.ts';
import { storeInline } from './store-inline.ts';

const dataOf = (bytes: Buffer) => Buffer.from(bytes.toString('base64'));
const text = { data: dataOf(Buffer.from('hello')), mimeType: 'text/plain', filename: 'a.txt' };

it('stores files that come inside a message as uploads of its session [DL-46]', async () => {
  const { deps, caller, tenantId, sessionId, readEvents, takePublished } = await openScene();
  const url = { ...text, data: Buffer.from(`data:text/plain;base64,${text.data}`), filename: 'b.txt' };
  const ids = await storeInline(deps, caller, sessionId, [text, url]);
  expect(ids).toHaveLength(2);
  const stored = await deps.db.readAsTenant(tenantId, (tx) => findAttachment(tx, ids[0] ?? ''));
  expect(stored).toMatchObject({ sessionId, attachment: { name: 'a.txt', sizeBytes: 5 } });
  expect((await readEvents()).filter(({ kind }) => kind === 'attachment.added')).toHaveLength(2);
  expect(new Set(takePublished())).toEqual(new Set(['attachment.added']));
});

it.each([
  ['that are no base64', 'INVALID_REQUEST', { ...text, data: Buffer.from('!!') }],
  ['that are longer than allowed', 'PAYLOAD_TOO_LARGE', { ...text, data: dataOf(Buffer.alloc(1_001)) }],
])('stores nothing of files %s', async (_title, code, bad) => {
  const { deps, caller, sessionId, readEvents } = await openScene();
  await expect(storeInline(deps, caller, sessionId, [text, bad])).rejects.toMatchObject({ code });
  expect(await readEvents()).toEqual([]);
});

it('asks for the right to write attachments', async () => {
  const { deps, tenantId, sessionId } = await openScene();
  const caller = callerOf(tenantId, { rights: new Set(['messages:send']) });
  await expect(storeInline(deps, caller, sessionId, [text])).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
