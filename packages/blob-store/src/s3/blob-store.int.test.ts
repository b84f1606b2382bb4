import { randomBytes } from 'node:crypto';
import type {} from '@attache/test-servers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { describeBlobStore } from '../../contract/blob-store.contract.ts';
import { bodyOf, brokenBody, newKey, readAll, sha256Of } from '../../contract/contract-bodies.ts';
import type { BlobKey } from '../blob-key.ts';
import { BlobNotFoundError } from '../blob-store.ts';
import { createS3BlobStore, ensureBucket, type S3BlobStore, type S3Options } from './blob-store.ts';

const megabyte = 1024 * 1024;
const { missing, ...servers } = inject('servers');

describeServer('minio');
describeServer('versitygw');

function describeServer(name: 'minio' | 'versitygw'): void {
  const server = servers[name];
  if (server === undefined) {
    const why = missing.find((entry) => entry.name === name)?.why;
    describe.skip(`${name}: ${why}`, () => it('stores blobs', () => {}));
    return;
  }
  const options: S3Options = { ...server, region: 'us-east-1', bucket: `blobs-${randomBytes(4).toString('hex')}` };
  beforeAll(() => ensureBucket(options));
  describeBlobStore(name, async () => {
    const store = await createS3BlobStore(options);
    return { store, close: () => store.close() };
  });
  describe(`${name}: large bodies`, () => describeLargeBodies(options));
  describe(`${name}: presigned URLs`, () => describePresigning(options));
  describe(`${name}: multipart uploads left behind`, () => describeSweep(options));
  describe(`${name}: start-up check`, () => describeCheck(options));
  if (name === 'versitygw') describe(`${name}: start-up check`, () => describeRegionCheck(options));
}

function useStore(options: S3Options): () => S3BlobStore {
  let store: S3BlobStore | undefined;
  beforeAll(async () => {
    store = await createS3BlobStore(options);
  });
  afterAll(() => store?.close());
  return () => {
    if (store === undefined) throw new Error('The store is not open.');
    return store;
  };
}

function describeLargeBodies(options: S3Options): void {
  const open = useStore(options);
  const countUploads = () => open().sweepMultiparts({ olderThanMs: -60_000, isDryRun: true });

  it.each([
    ['8 MiB of unknown length', 8 * megabyte, undefined],
    ['one byte more', 8 * megabyte + 1, undefined],
    ['35 MiB of unknown length', 35 * megabyte, undefined],
    ['64 MiB announced', 64 * megabyte, 64 * megabyte],
    ['70 MiB announced', 70 * megabyte + 3, 70 * megabyte + 3],
  ])('gives back %s [AT-05]', async (_name, countBytes, sizeBytes) => {
    const bytes = randomBytes(countBytes);
    const key = newKey();
    const put = await open().put(key, bodyOf(bytes, 99_991), { sizeBytes });
    expect(put).toEqual({ sizeBytes: countBytes });
    expect(sha256Of(await readAll(open(), key))).toBe(sha256Of(bytes));
    expect(await countUploads()).toBe(0);
    await open().delete(key);
  });

  it('tells of the bytes that are put and read as they pass', async () => {
    let passedBytes = 0;
    const onBytes = (sizeBytes: number) => {
      passedBytes += sizeBytes;
    };
    const store = await createS3BlobStore({ ...options, onBytes });
    const key = newKey();
    await store.put(key, bodyOf(randomBytes(3 * megabyte)), { sizeBytes: 3 * megabyte });
    expect(passedBytes).toBe(3 * megabyte);
    await readAll(store, key);
    expect(passedBytes).toBe(6 * megabyte);
    await readAll(store, key, { start: 1, end: megabyte });
    expect(passedBytes).toBe(7 * megabyte);
    await store.delete(key);
    await store.close();
  });

  it.each([undefined, 80 * megabyte])(
    'keeps nothing of %s bytes in parts that break off [W1 AT-05]',
    async (sizeBytes) => {
      const key = newKey();
      const error = new Error('the client went away');
      const body = brokenBody(Buffer.alloc(70 * megabyte), error);
      await expect(open().put(key, body, { sizeBytes })).rejects.toBe(error);
      await expect(open().head(key)).rejects.toBeInstanceOf(BlobNotFoundError);
      expect(await countUploads()).toBe(0);
    },
  );

  it.each([undefined, 70 * megabyte])(
    'never replaces a blob by parts: %s bytes announced [AT-05]',
    async (sizeBytes) => {
      const key = newKey();
      await open().put(key, bodyOf('first'));
      const second = open().put(key, bodyOf(Buffer.alloc(70 * megabyte)), { sizeBytes });
      await expect(second).rejects.toMatchObject({ code: 'UPLOAD_CONFLICT' });
      expect((await readAll(open(), key)).toString()).toBe('first');
      expect(await countUploads()).toBe(0);
    },
  );

  it('serves more bodies of unknown length than the budget holds at once', async () => {
    const small = await createS3BlobStore({ ...options, spoolBudgetBytes: 16 * megabyte });
    const bodies = Array.from({ length: 12 }, (_, index) => Buffer.alloc(9 * megabyte + index, index));
    const stored = await Promise.all(
      bodies.map(async (bytes) => {
        const key = newKey();
        await small.put(key, bodyOf(bytes));
        return { key, sizeBytes: bytes.length };
      }),
    );
    for (const { key, sizeBytes } of stored) expect(await small.head(key)).toEqual({ sizeBytes });
    await small.close();
  });
}

function describePresigning(options: S3Options): void {
  const open = useStore({ ...options, publicEndpoint: options.endpoint });

  async function presign(key: BlobKey, presigned: { disposition?: string; mimeType?: string } = {}): Promise<string> {
    const url = await open().presign?.(key, { expiresInSeconds: 60, ...presigned });
    if (url === undefined) throw new Error('The store presigns nothing.');
    return url;
  }

  it('reads a blob without credentials, under the name and type that were signed [AT-05]', async () => {
    const key = newKey();
    await open().put(key, bodyOf('for everyone with this URL'));
    const disposition = `attachment; filename="a b'(1)*.png"; filename*=UTF-8''%C3%A9.png`;
    const response = await fetch(await presign(key, { disposition, mimeType: 'image/png' }));
    expect(await response.text()).toBe('for everyone with this URL');
    expect(response.headers.get('content-disposition')).toBe(disposition);
    expect(response.headers.get('content-type')).toBe('image/png');
  });

  it('signs one blob and nothing else', async () => {
    const [key, other] = [newKey(), newKey()];
    await open().put(key, bodyOf('mine'));
    await open().put(other, bodyOf('yours'));
    const url = await presign(key);
    const statusOf = async (altered: string, init?: RequestInit) => (await fetch(altered, init)).status;
    expect(await statusOf(url.replace(key, other))).toBe(403);
    expect(await statusOf(`${url}&response-content-type=text%2Fhtml`)).toBe(403);
    expect(await statusOf(url, { method: 'PUT', body: 'changed' })).toBe(403);
    expect((await readAll(open(), key)).toString()).toBe('mine');
  });

  it('presigns nothing where clients cannot reach the server', async () => {
    const store = await createS3BlobStore(options);
    expect(store.presign).toBeUndefined();
    await store.close();
  });
}

function describeSweep(options: S3Options): void {
  const open = useStore(options);

  it('aborts what is old enough, and only counts when it runs dry [W1 AT-59]', async () => {
    const key = newKey();
    let isStarted = () => {};
    const started = new Promise<void>((resolve) => {
      isStarted = resolve;
    });
    const abort = new AbortController();
    async function* stalledBody() {
      yield Buffer.alloc(20 * megabyte);
      isStarted();
      await new Promise(() => {});
    }
    const putting = open().put(key, stalledBody(), { signal: abort.signal });
    putting.catch(() => {});
    await started;
    const sweepOptions = { olderThanMs: -60_000 };
    await expect.poll(() => open().sweepMultiparts({ ...sweepOptions, isDryRun: true })).toBe(1);
    expect(await open().sweepMultiparts({ olderThanMs: 60_000 })).toBe(0);
    // A server may fail to abort while it writes a part.
    await expect
      .poll(() =>
        open()
          .sweepMultiparts(sweepOptions)
          .catch(() => 'later'),
      )
      .toBe(1);
    expect(await open().sweepMultiparts(sweepOptions)).toBe(0);
    abort.abort();
    await expect(putting).rejects.toThrow();
  });
}

async function checkServer(options: S3Options) {
  const store = await createS3BlobStore(options);
  return store.checkServer().finally(() => store.close());
}

function describeRegionCheck(options: S3Options): void {
  // MinIO takes every region.
  it('names ATTACHE_S3_REGION where it is wrong', async () => {
    const check = checkServer({ ...options, region: 'eu-central-1' });
    await expect(check).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('ATTACHE_S3_REGION'),
    });
  });
}

function describeCheck(options: S3Options): void {
  const check = (changed: Partial<S3Options>) => checkServer({ ...options, ...changed });

  it('accepts a server that keeps blobs safe and leaves nothing there [AT-05]', async () => {
    expect(await check({})).toMatchObject({ clockSkewMs: 0 });
    const store = await createS3BlobStore(options);
    await store.checkReady();
    await store.close();
  });

  it.each([
    ['ATTACHE_S3_BUCKET', { bucket: 'no-such-bucket' }],
    ['ATTACHE_S3_ACCESS_KEY', { accessKey: 'nobody' }],
    ['ATTACHE_S3_SECRET_KEY', { secretKey: 'wrong-secret' }],
    ['ATTACHE_S3_ENDPOINT', { endpoint: 'http://127.0.0.1:9' }],
  ])('names %s where it is wrong [S27]', async (variable, changed) => {
    const failure = await check(changed).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining(variable) });
    expect(String(failure)).not.toContain('wrong-secret');
  });

  it('makes a bucket once and is content with one that is there', async () => {
    const bucket = `made-${randomBytes(4).toString('hex')}`;
    await ensureBucket({ ...options, bucket });
    await ensureBucket({ ...options, bucket });
    expect(await check({ bucket })).toMatchObject({ clockSkewMs: 0 });
    await expect(ensureBucket({ ...options, bucket, secretKey: 'wrong' })).rejects.toThrow('ATTACHE_S3_SECRET_KEY');
  });
}
