import { hash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type BlobKey, type BlobStore, createBlobKey } from '@attache/blob-store';
import { createFileBlobStore } from '@attache/blob-store/file';
import type { ByteReference, DeliveryPlan, Part, PlanChecks } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import type { MediaPool } from '@attache/media';
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

const recipe = { purpose: 'inline-image', mimeType: 'image/png', maxEdgePixels: 10, maxBytes: 100 } as const;
const plan = (): Pick<DeliveryPlan, 'items'> => ({
  items: [{ attachmentId, becomes: 'variant', recipe, checks: {} as PlanChecks, warnings: [] }],
});
/** A worker that writes these bytes for every input. */
const media = (made: Buffer): MediaPool => ({
  inspect: () => Promise.reject(new Error('nothing is inspected here')),
  async makeVariant({ outputPath, mimeType }) {
    await writeFile(outputPath, made, { mode: 0o600 });
    return { status: 'made', mimeType, sizeBytes: made.length, sha256: hash('sha256', made), warnings: [] };
  },
  [Symbol.asyncDispose]: async () => {},
});
const materialise = (parts: Part[], rest: Partial<Parameters<typeof materialiseParts>[1]> = {}, made = picture) =>
  materialiseParts(
    { blobs, media: media(made), settings: { agentsFolder: join(root, 'agents') } },
    { tenantId: randomUUID(), parts, plan: plan(), attachments: stored(), folder, ...rest },
  );

describe('a delivery of words alone', () => {
  it('asks the store for nothing and makes no folder [DL-83]', async () => {
    const parts: Part[] = [{ type: 'text', text: 'Good morning.' }];
    expect(await materialise(parts)).toMatchObject({ status: 'ready' });
    expect(asked).toEqual([]);
    expect(await readdir(root)).toEqual(['blobs']);
  });
});

describe('a delivery with a file', () => {
  it('puts it in its folder, named by ids and for its owner alone [DL-78 DL-86 S26]', async () => {
    const bytes = imageOf();
    const materialised = await materialise([bytes]);
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
    expect(await materialise([imageOf(change)])).toMatchObject({ status: 'failed', failure: { code } });
  });

  it('takes what was fetched early if it is what was recorded, and else asks the store [BX-10]', async () => {
    const taken = async (early: Buffer | undefined) => {
      asked = [];
      const request = {
        tenantId: randomUUID(),
        parts: [imageOf()],
        plan: plan(),
        attachments: stored(),
        folder: undefined,
      };
      const deps = {
        blobs,
        media: media(picture),
        settings: { agentsFolder: root },
        early: { take: async () => early },
      };
      const materialised = await materialiseParts(deps, request);
      const part = imageOf();
      if (materialised.status === 'failed' || part.type !== 'image') throw new Error('it was not fetched');
      const content = materialised.contents.embedded(part.bytes);
      return [asked, 'bytes' in content && Buffer.from(content.bytes).equals(picture)];
    };
    expect(await taken(picture)).toEqual([[], true]);
    expect(await taken(picture.subarray(0, 5))).toEqual([['get'], true]);
    expect(await taken(undefined)).toEqual([['get'], true]);
  });

  it('fails where its bytes are not in the store any more [DL-74]', async () => {
    await blobs.delete(key);
    expect(await materialise([imageOf()])).toMatchObject({
      status: 'failed',
      failure: { code: 'attachment_artifact_missing', retryable: false },
    });
  });
});

describe('a variant that the store has lost', () => {
  const variantId = 'var_ABEiM0RVZneImaq7zN3u_w';
  const made = Buffer.from('a smaller picture, as far as this test goes');
  const reference = { attachmentId, variantId, mimeType: 'image/png', sizeBytes: made.length } as const;
  const lostKey = () => createBlobKey('00112233-4455-6677-8899-aabbccddeeff', randomBytes(16));
  const part = (): Part => ({ type: 'image', bytes: { ...reference, sha256: hash('sha256', made) } });
  const withVariant = (variantKeys: Map<string, string>) =>
    [
      {
        attachment: { ...stored()[0]?.attachment, sha256: hash('sha256', picture) },
        blobKey: key,
        variantKeys,
      },
    ] as unknown as StoredAttachment[];

  it.each([
    ['in memory', undefined],
    ['in the folder of its delivery', 'folder'],
  ])('is made again by the recipe of its plan, %s [DL-48]', async (_, place) => {
    const blobKey = lostKey();
    const attachments = withVariant(new Map([[variantId, blobKey]]));
    const bytes = part();
    const materialised = await materialise([bytes], { attachments, folder: place && folder }, made);
    expect(materialised).toMatchObject({ status: 'ready', lost: [{ variantId, blobKey }] });
    if (materialised.status === 'failed' || bytes.type !== 'image') throw new Error('it was not made');
    const content = materialised.contents.embedded(bytes.bytes);
    expect('path' in content ? await readFile(content.path) : content.bytes).toEqual(made);
    expect(await readdir(join(root, 'agents', 'views'))).toEqual([]);
  });

  it('is made again where nothing is recorded of it any more [DL-48]', async () => {
    const attachments = withVariant(new Map());
    expect(await materialise([part()], { attachments }, made)).toMatchObject({ status: 'ready', lost: [] });
  });

  it('is not sent where what is made now has other bytes: a retry plans its parts again [DL-45 DL-48 DL-53]', async () => {
    const attachments = withVariant(new Map());
    expect(await materialise([part()], { attachments }, Buffer.from('other'))).toMatchObject({
      status: 'failed',
      failure: { code: 'attachment_checksum_mismatch', retryable: true },
    });
  });

  it('is replaced by nothing where its original is gone: that fails visibly [DL-48 DL-54]', async () => {
    await blobs.delete(key);
    expect(await materialise([part()], { attachments: withVariant(new Map()) }, made)).toMatchObject({
      status: 'failed',
      failure: { code: 'attachment_missing', retryable: false, attachmentId },
    });
  });

  it('is not made of an original whose bytes changed [DL-48 DL-53]', async () => {
    const [attachment] = withVariant(new Map());
    if (attachment) attachment.attachment.sha256 = hash('sha256', 'what was uploaded');
    expect(await materialise([part()], { attachments: attachment ? [attachment] : [] }, made)).toMatchObject({
      status: 'failed',
      failure: { code: 'attachment_checksum_mismatch', retryable: false },
    });
  });
});
