import { expect, it } from 'vitest';
import {
  addFile,
  type Fixture,
  loseBytes,
  messageOf,
  openFixture,
  picture,
  readStored,
} from './__fixtures__/open-fixture.ts';
import { inspectAttachment } from './inspect-attachment.ts';

const addedOf = ({ tenantId, sessionId }: Fixture, attachmentId: string) =>
  messageOf('attachment.added', { tenantId, sessionId, attachmentId });

it('finds out what a picture is, by its bytes and not by its name, and makes its preview', async () => {
  const fixture = await openFixture();
  const attachmentId = await addFile(fixture, picture, 'a.txt');
  await inspectAttachment(fixture.deps, addedOf(fixture, attachmentId));
  await fixture.deps.previews.settle();
  const { attachment } = await readStored(fixture, attachmentId);
  expect(attachment).toMatchObject({
    status: 'ready',
    kind: 'image',
    mimeType: 'image/png',
    facts: { width: 40, height: 30 },
  });
  expect(attachment.variants).toMatchObject([{ purpose: 'preview' }]);
  expect((await fixture.readEvents()).map(({ kind }) => kind)).toContain('attachment.ready');
});

it('rejects what it cannot read to its end', async () => {
  const fixture = await openFixture();
  const attachmentId = await addFile(fixture, picture.subarray(0, picture.length / 2), 'a.png');
  await inspectAttachment(fixture.deps, addedOf(fixture, attachmentId));
  const { attachment } = await readStored(fixture, attachmentId);
  expect(attachment).toMatchObject({ status: 'rejected', failure: { code: 'attachment_corrupt_image' } });
});

it('rejects a file whose bytes the store has lost', async () => {
  const fixture = await openFixture();
  const attachmentId = await addFile(fixture, Buffer.from(`lost ${fixture.tenantId}`), 'a.txt');
  await loseBytes(fixture, attachmentId);
  await inspectAttachment(fixture.deps, addedOf(fixture, attachmentId));
  const { attachment } = await readStored(fixture, attachmentId);
  expect(attachment).toMatchObject({ status: 'rejected', failure: { code: 'attachment_missing' } });
});

it('settles an attachment once, however often the message comes [W8]', async () => {
  const fixture = await openFixture();
  const attachmentId = await addFile(fixture, Buffer.from('a few words'), 'a.txt');
  const added = addedOf(fixture, attachmentId);
  await inspectAttachment(fixture.deps, added);
  await inspectAttachment(fixture.deps, added);
  const ready = (await fixture.readEvents()).filter(({ kind }) => kind === 'attachment.ready');
  expect(ready).toMatchObject([{ data: { kind: 'text' } }]);
});
