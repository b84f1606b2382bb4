import { randomBytes } from 'node:crypto';
import { createBlobKey } from '@attache/blob-store';
import { describe, expect, it, vi } from 'vitest';
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

describe('an attachment that a ring brought', () => {
  const rungOf = async (fixture: Fixture, attachmentId: string) => {
    const { attachment, blobKey, uploadedBy } = await readStored(fixture, attachmentId);
    return { attachment, blobKey, uploadedBy };
  };
  /** Inspects it, and counts the reads of rows. */
  const inspectRung = async (fixture: Fixture, attachmentId: string, head: unknown) => {
    const calls = vi.spyOn(fixture.deps.db, 'call');
    const isSettled = await inspectAttachment(fixture.deps, addedOf(fixture, attachmentId), head);
    await fixture.deps.previews.settle();
    const texts = calls.mock.calls.map(([statement]) => JSON.stringify(statement));
    calls.mockRestore();
    return { isSettled, reads: texts.filter((text) => text.includes('attache_read_attachments')).length };
  };

  it('is inspected without a read of its row, and its preview made [AT-02]', async () => {
    const fixture = await openFixture();
    const attachmentId = await addFile(fixture, picture, 'a.txt');
    const head = await rungOf(fixture, attachmentId);
    expect(await inspectRung(fixture, attachmentId, head)).toEqual({ isSettled: true, reads: 0 });
    const { attachment } = await readStored(fixture, attachmentId);
    expect(attachment).toMatchObject({ status: 'ready', kind: 'image', facts: { width: 40, height: 30 } });
    expect(attachment.variants).toMatchObject([{ purpose: 'preview' }]);
    // The same ring once more finds nothing to do.
    expect(await inspectRung(fixture, attachmentId, head)).toMatchObject({ isSettled: false });
  });

  it('is read where the ring brought none, another one or a key of another tenant', async () => {
    const [fixture, other] = [await openFixture(), await openFixture()];
    const attachmentId = await addFile(fixture, picture, 'a.png');
    const foreignId = await addFile(other, Buffer.from('another tenant'), 'b.bin');
    const head = await rungOf(fixture, attachmentId);
    const foreign = await rungOf(other, foreignId);
    const heads = [undefined, null, {}, foreign, { ...head, blobKey: foreign.blobKey }, { ...head, blobKey: '../a' }];
    for (const one of heads) {
      const again = await addFile(fixture, picture, 'a.png');
      expect(await inspectRung(fixture, again, one)).toEqual({ isSettled: true, reads: 1 });
      expect((await readStored(fixture, again)).attachment).toMatchObject({ status: 'ready', kind: 'image' });
    }
  });

  it('is left as it was where its blob is another, for the message that comes without a ring', async () => {
    const fixture = await openFixture();
    const attachmentId = await addFile(fixture, picture, 'a.png');
    const bait = await addFile(fixture, Buffer.alloc(picture.length, fixture.tenantId), 'b.txt');
    const { blobKey } = await readStored(fixture, bait);
    const [head, lost] = [await rungOf(fixture, attachmentId), createBlobKey(fixture.tenantId, randomBytes(16))];
    for (const key of [blobKey, lost]) {
      const forged = await inspectRung(fixture, attachmentId, { ...head, blobKey: key });
      expect(forged).toEqual({ isSettled: false, reads: 0 });
      const { attachment } = await readStored(fixture, attachmentId);
      expect([attachment.status, attachment.variants]).toEqual(['pending', []]);
    }
    expect(await inspectRung(fixture, attachmentId, undefined)).toEqual({ isSettled: true, reads: 1 });
    expect((await readStored(fixture, attachmentId)).attachment).toMatchObject({ status: 'ready', kind: 'image' });
  });
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
