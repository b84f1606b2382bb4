import { hash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type BlobKey, type BlobStore, createBlobKey } from '@attache/blob-store';
import { createFileBlobStore } from '@attache/blob-store/file';
import type { ByteReference, Part } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { materialiseParts } from './materialise-parts.ts';

const attachmentId = 'att_ABEiM0RVZneImaq7zN3u_w';
const picture = Buffer.from('a picture, as far as this test goes');

let root: string;
let folder: string;
let blobs: BlobStore;
let key: BlobKey;
let asked: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'attache-parts-'));
  folder = join(root, 'inbox', 'delivery');
  key = createBlobKey('00112233-4455-6677-8899-aabbccddeeff', randomBytes(16));
  asked = [];
  const store = await createFileBlobStore({ root: join(root, 'blobs') });
  await store.put(
    key,
    (async function* () {
      yield picture;
    })(),
  );
  blobs = new Proxy(store, {
    get: (target, name, receiver) => {
      asked.push(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const imageOf = (change: Partial<ByteReference> = {}): Part => ({
  type: 'image',
  bytes: {
    attachmentId,
    mimeType: 'image/png',
    sizeBytes: picture.length,
    sha256: hash('sha256', picture),
    ...change,
  },
});
const stored = () =>
  [
    { attachment: { id: attachmentId, name: '../../--settings=x.png' }, blobKey: key, variantKeys: new Map() },
  ] as unknown as StoredAttachment[];

describe('a delivery of words alone', () => {
  it('asks the store for nothing and makes no folder [DL-83]', async () => {
    const parts: Part[] = [{ type: 'text', text: 'Good morning.' }];
    expect(await materialiseParts({ blobs }, { parts, attachments: stored(), folder })).toMatchObject({
      status: 'ready',
    });
    expect(asked).toEqual([]);
    expect(await readdir(root)).toEqual(['blobs']);
  });
});

describe('a delivery with a file', () => {
  it('puts it in its folder, named by ids and for its owner alone [DL-78 DL-86 S26]', async () => {
    const bytes = imageOf();
    const materialised = await materialiseParts({ blobs }, { parts: [bytes], attachments: stored(), folder });
    if (materialised.status === 'failed' || bytes.type !== 'image') throw new Error('it was not put there');
    const content = materialised.contents.embedded(bytes.bytes);
    const path = 'path' in content ? content.path : '';
    expect([join(folder, basename(path)), basename(path)]).toEqual([path, `${attachmentId}.png`]);
    expect(await readFile(path)).toEqual(picture);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['is not what was recorded', { sha256: hash('sha256', 'other') }, 'attachment_checksum_mismatch'],
    ['is of an attachment that is gone', { attachmentId: 'att_AAAAAAAAAAAAAAAAAAAAAA' }, 'attachment_missing'],
  ] as const)('fails where it %s, before its agent gets anything [BX-10 DL-74]', async (_, change, code) => {
    const request = { parts: [imageOf(change)], attachments: stored(), folder };
    expect(await materialiseParts({ blobs }, request)).toMatchObject({ status: 'failed', failure: { code } });
  });

  it('fails where its bytes are not in the store any more [DL-74]', async () => {
    await blobs.delete(key);
    const request = { parts: [imageOf()], attachments: stored(), folder };
    expect(await materialiseParts({ blobs }, request)).toMatchObject({
      status: 'failed',
      failure: { code: 'attachment_artifact_missing', retryable: false },
    });
  });
});
