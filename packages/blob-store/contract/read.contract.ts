import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BlobKey, createBlobKey } from '../src/blob-key.ts';
import { BlobNotFoundError, type BlobStore } from '../src/blob-store.ts';
import { bodyOf, newKey, readAll, sha256Of } from './contract-bodies.ts';

/** Reading whole blobs, ranges, copies, and things that are not there. */
export function describeRead(useStore: () => BlobStore): void {
  describeMissing(useStore);
  describe('ranges', () => describeRanges(useStore));
  describe('copies', () => describeCopies(useStore));
}

function describeMissing(useStore: () => BlobStore): void {
  it('says of a missing blob that it is missing, before the first byte [AT-05]', async () => {
    const store = useStore();
    const key = newKey();
    await expect(store.head(key)).rejects.toBeInstanceOf(BlobNotFoundError);
    await expect(store.get(key)).rejects.toMatchObject({ name: 'BlobNotFoundError', key });
    await expect(store.get(key, { start: 0, end: 0 })).rejects.toBeInstanceOf(BlobNotFoundError);
  });

  it('answers for a blob of another tenant exactly as for none [S1]', async () => {
    const store = useStore();
    const key = newKey();
    await store.put(key, bodyOf('of tenant A'));
    const random = Buffer.from(key.slice(-32), 'hex');
    const sameRandom = createBlobKey('00000000-0000-4000-8000-000000000000', random);
    await expect(store.get(sameRandom)).rejects.toEqual(new BlobNotFoundError(sameRandom));
    await expect(store.head(sameRandom)).rejects.toBeInstanceOf(BlobNotFoundError);
    await store.delete(sameRandom);
    expect((await readAll(store, key)).toString()).toBe('of tenant A');
  });

  it.each(['../../etc/passwd', '/etc/passwd', 'tmp', ''])(
    'refuses the forged key %j in every method [S7 DL-78]',
    async (forged) => {
      const store = useStore();
      const key = forged as BlobKey;
      const calls = [
        () => store.put(key, bodyOf('x')),
        () => store.head(key),
        () => store.get(key),
        () => store.delete(key),
        () => store.copyToFile(key, join(tmpdir(), `attache-forged-${process.pid}`)),
      ];
      for (const call of calls) await expect((async () => call())()).rejects.toMatchObject({ code: 'INTERNAL' });
    },
  );

  it('lets a reader stop early [AT-05]', async () => {
    const store = useStore();
    const key = newKey();
    await store.put(key, bodyOf(randomBytes(1_000_000)));
    const stream = await store.get(key);
    for await (const _chunk of stream) break;
    expect(stream.destroyed).toBe(true);
  });
}

function describeRanges(useStore: () => BlobStore): void {
  const key = newKey();
  const emptyKey = newKey();
  beforeAll(async () => {
    await useStore().put(key, bodyOf('0123456789'));
    await useStore().put(emptyKey, bodyOf(''));
  });

  it.each([
    [0, 9, '0123456789'],
    [0, 0, '0'],
    [9, 9, '9'],
    [3, 5, '345'],
    [7, 10, '789'],
    [5, 1_000_000_000, '56789'],
  ])('reads bytes %i to %i, both included [AT-05]', async (start, end, expected) => {
    expect((await readAll(useStore(), key, { start, end })).toString()).toBe(expected);
  });

  it.each([
    [10, 10],
    [10, 20],
    [5, 4],
    [-1, 3],
    [0.5, 3],
    [0, Number.NaN],
  ])('refuses bytes %d to %d [AT-05]', async (start, end) => {
    await expect(useStore().get(key, { start, end })).rejects.toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });
  });

  it('has no range of a blob without bytes [AT-05]', async () => {
    const read = useStore().get(emptyKey, { start: 0, end: 0 });
    await expect(read).rejects.toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });
  });

  it('reads a range in the middle of a large blob [AT-05]', async () => {
    const bytes = randomBytes(2_000_000);
    const largeKey = newKey();
    await useStore().put(largeKey, bodyOf(bytes));
    const range = await readAll(useStore(), largeKey, { start: 262_143, end: 1_500_000 });
    expect(sha256Of(range)).toBe(sha256Of(bytes.subarray(262_143, 1_500_001)));
  });
}

function describeCopies(useStore: () => BlobStore): void {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'attache-copy-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function putBytes(bytes: Uint8Array): Promise<BlobKey> {
    const key = newKey();
    await useStore().put(key, bodyOf(bytes));
    return key;
  }

  it.each([1, 64 * 1024, 256 * 1024, 256 * 1024 + 1, 3_000_000])(
    'copies %i bytes to a file for its owner only, which shares nothing with the blob [AT-32 DL-78]',
    async (sizeBytes) => {
      const bytes = randomBytes(sizeBytes);
      const key = await putBytes(bytes);
      const path = join(folder, `copy-${sizeBytes}`);
      await useStore().copyToFile(key, path);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(sha256Of(await readFile(path))).toBe(sha256Of(bytes));
      await writeFile(path, 'changed by a tool');
      expect(sha256Of(await readAll(useStore(), key))).toBe(sha256Of(bytes));
    },
  );

  it.each([4, 400_000])('never writes %i bytes into a file that exists [AT-32]', async (sizeBytes) => {
    const key = await putBytes(randomBytes(sizeBytes));
    const path = join(folder, `taken-${sizeBytes}`);
    await writeFile(path, 'mine');
    await expect(useStore().copyToFile(key, path)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it.each([4, 400_000])('says that there is no folder for %i bytes [AT-32]', async (sizeBytes) => {
    const key = await putBytes(randomBytes(sizeBytes));
    const path = join(folder, 'none', 'copy');
    await expect(useStore().copyToFile(key, path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('makes no file of a missing blob [AT-32]', async () => {
    const path = join(folder, 'missing');
    await expect(useStore().copyToFile(newKey(), path)).rejects.toBeInstanceOf(BlobNotFoundError);
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
}
