import { expect, it } from 'vitest';
import {
  addFile,
  loseBytes,
  messageOf,
  openScene,
  picture,
  readStored,
  type Scene,
} from './__fixtures__/open-scene.ts';
import { inspectAttachment } from './inspect-attachment.ts';

const addedOf = ({ tenantId, sessionId }: Scene, attachmentId: string) =>
  messageOf('attachment.added', { tenantId, sessionId, attachmentId });

it('finds out what a picture is, by its bytes and not by its name, and makes its preview', async () => {
  const scene = await openScene();
  const attachmentId = await addFile(scene, picture, 'a.txt');
  await inspectAttachment(scene.deps, addedOf(scene, attachmentId));
  const { attachment } = await readStored(scene, attachmentId);
  expect(attachment).toMatchObject({
    status: 'ready',
    kind: 'image',
    mimeType: 'image/png',
    facts: { width: 40, height: 30 },
  });
  expect(attachment.variants).toMatchObject([{ purpose: 'preview' }]);
  expect((await scene.readEvents()).map(({ kind }) => kind)).toContain('attachment.ready');
});

it('rejects what it cannot read to its end', async () => {
  const scene = await openScene();
  const attachmentId = await addFile(scene, picture.subarray(0, picture.length / 2), 'a.png');
  await inspectAttachment(scene.deps, addedOf(scene, attachmentId));
  const { attachment } = await readStored(scene, attachmentId);
  expect(attachment).toMatchObject({ status: 'rejected', failure: { code: 'attachment_corrupt_image' } });
});

it('rejects a file whose bytes the store has lost', async () => {
  const scene = await openScene();
  const attachmentId = await addFile(scene, Buffer.from(`lost ${scene.tenantId}`), 'a.txt');
  await loseBytes(scene, attachmentId);
  await inspectAttachment(scene.deps, addedOf(scene, attachmentId));
  const { attachment } = await readStored(scene, attachmentId);
  expect(attachment).toMatchObject({ status: 'rejected', failure: { code: 'attachment_missing' } });
});

it('settles an attachment once, however often the message comes [W8]', async () => {
  const scene = await openScene();
  const attachmentId = await addFile(scene, Buffer.from('a few words'), 'a.txt');
  const added = addedOf(scene, attachmentId);
  await inspectAttachment(scene.deps, added);
  await inspectAttachment(scene.deps, added);
  const ready = (await scene.readEvents()).filter(({ kind }) => kind === 'attachment.ready');
  expect(ready).toMatchObject([{ data: { kind: 'text' } }]);
});
