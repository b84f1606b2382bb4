import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeBlobStore } from '../../contract/blob-store.contract.ts';
import { bodyOf, brokenBody, newKey, readAll } from '../../contract/contract-bodies.ts';
import type { BlobKey } from '../blob-key.ts';
import { BlobNotFoundError } from '../blob-store.ts';
import { createFileBlobStore } from './blob-store.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

async function openFileStore() {
  const root = await mkdtemp(join(tmpdir(), 'attache-blobs-'));
  const store = await createFileBlobStore({ root });
  return { store, root, close: () => rm(root, { recursive: true, force: true }) };
}

describeBlobStore('files', openFileStore);

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

const pathOf = (root: string, key: BlobKey) => join(root, key.slice(0, 32), key.slice(33, 35), key.slice(33));

describe('files: what stands on the disk', () => {
  let opened: Awaited<ReturnType<typeof openFileStore>>;
  beforeEach(async () => {
    opened = await openFileStore();
  });
  afterEach(() => opened.close());

  it('shows no half file while a body is under way [AT-02 AT-05]', async () => {
    const { store, root } = opened;
    const key = newKey();
    const seen: string[][] = [];
    async function* watchedBody() {
      for (let round = 0; round < 4; round += 1) {
        yield randomBytes(300_000);
        seen.push(await listFiles(root));
      }
    }
    await store.put(key, watchedBody());
    expect(seen).toHaveLength(4);
    for (const path of seen.flat()) expect(path.startsWith(join(root, 'tmp'))).toBe(true);
    expect(await listFiles(root)).toEqual([pathOf(root, key)]);
  });

  it('leaves no file of a body that breaks, is cut short or loses the race [W1]', async () => {
    const { store, root } = opened;
    const key = newKey();
    await store.put(key, bodyOf('stays'));
    await expect(store.put(newKey(), brokenBody(randomBytes(700_000), new Error('broken')))).rejects.toThrow('broken');
    await expect(store.put(newKey(), bodyOf('short'), { sizeBytes: 6 })).rejects.toThrow('5 of the announced 6');
    await expect(store.put(key, bodyOf('again'))).rejects.toThrow('already stored');
    expect(await listFiles(root)).toEqual([pathOf(root, key)]);
  });

  it('lets only its own user read files and enter folders [DL-78]', async () => {
    const { store, root } = opened;
    const key = newKey();
    await store.put(key, bodyOf('private'));
    const modes = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)));
    expect(await modes(pathOf(root, key))).toEqual(['600']);
    const folders = [join(root, key.slice(0, 32)), join(root, key.slice(0, 32), key.slice(33, 35)), join(root, 'tmp')];
    expect(await modes(...folders)).toEqual(['700', '700', '700']);
  });

  it('removes what a killed process left half-written, and no blob [W1]', async () => {
    const { store, root } = opened;
    const key = newKey();
    await store.put(key, bodyOf('kept'));
    await writeFile(join(root, 'tmp', 'half'), 'half a bo');
    const reopened = await createFileBlobStore({ root });
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
    expect((await readAll(reopened, key)).toString()).toBe('kept');
  });

  it('tells of each chunk that is put', async () => {
    const passed: number[] = [];
    const store = await createFileBlobStore({ root: opened.root, onBytes: (sizeBytes) => passed.push(sizeBytes) });
    await store.put(newKey(), bodyOf(randomBytes(300_000), 128 * 1024));
    expect(passed).toEqual([131_072, 131_072, 37_856]);
  });

  it('leaves nothing behind when it looks whether it is ready', async () => {
    await opened.store.checkReady();
    expect(await listFiles(opened.root)).toEqual([]);
  });

  it('leaves no temporary file of bodies that fail while their files are still being opened [W1]', async () => {
    const { store, root } = opened;
    const fail = () => Promise.reject(new Error('gone'));
    const body = { [Symbol.asyncIterator]: () => ({ next: fail }) };
    // One after the other: each opening then runs at the same time as its own removal.
    for (let round = 0; round < (isShort ? 60 : 300); round += 1)
      await expect(store.put(newKey(), body)).rejects.toThrow('gone');
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });
});

describe('files: links and broken folders', () => {
  let opened: Awaited<ReturnType<typeof openFileStore>>;
  let outside: string;
  beforeEach(async () => {
    opened = await openFileStore();
    outside = await mkdtemp(join(tmpdir(), 'attache-outside-'));
  });
  afterEach(async () => {
    await opened.close();
    await rm(outside, { recursive: true, force: true });
  });

  it('does not follow a link in the place of a file [S7 DL-78]', async () => {
    const { store, root } = opened;
    const key = newKey();
    await writeFile(join(outside, 'secret'), 'secret');
    await store.put(key, bodyOf('real'));
    await rm(pathOf(root, key));
    await symlink(join(outside, 'secret'), pathOf(root, key));
    await expect(store.get(key)).rejects.toBeInstanceOf(BlobNotFoundError);
    await expect(store.head(key)).rejects.toBeInstanceOf(BlobNotFoundError);
    await expect(store.copyToFile(key, join(outside, 'copy'))).rejects.toBeInstanceOf(BlobNotFoundError);
    await expect(store.put(key, bodyOf('over it'))).rejects.toMatchObject({ code: 'UPLOAD_CONFLICT' });
    await store.delete(key);
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  it.each(['tenant', 'fan-out'])('does not follow a link in the place of a %s folder [S7 DL-78]', async (level) => {
    const { store, root } = opened;
    const key = newKey();
    const tenantFolder = join(root, key.slice(0, 32));
    const folder = level === 'tenant' ? tenantFolder : join(tenantFolder, key.slice(33, 35));
    await mkdir(join(folder, '..'), { recursive: true });
    await mkdir(join(outside, key.slice(33, 35)));
    await writeFile(join(outside, key.slice(33)), 'secret');
    await writeFile(join(outside, key.slice(33, 35), key.slice(33)), 'secret');
    await symlink(outside, folder);
    const unavailable = { code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('symbolic link') };
    await expect(store.put(key, bodyOf('x'))).rejects.toMatchObject(unavailable);
    await expect(store.get(key)).rejects.toMatchObject(unavailable);
    await expect(store.delete(key)).rejects.toMatchObject(unavailable);
    await expect(store.copyToFile(key, join(outside, 'copy'))).rejects.toMatchObject(unavailable);
    expect(await listFiles(outside)).toHaveLength(2);
  });

  it('says what is wrong with a root that cannot be used [AT-05]', async () => {
    await writeFile(join(outside, 'file'), '');
    const create = createFileBlobStore({ root: join(outside, 'file', 'blobs') });
    await expect(create).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('ENOTDIR'),
    });
  });

  it.each([10, 5_000_000])('lets go of a body of %i bytes whose file cannot be made [AT-05]', async (sizeBytes) => {
    const { store, root } = opened;
    await rename(root, join(outside, 'away'));
    let isReleased = false;
    async function* body() {
      try {
        yield* bodyOf(Buffer.alloc(sizeBytes));
      } finally {
        isReleased = true;
      }
    }
    await expect(store.put(newKey(), body())).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', retryable: true });
    expect(isReleased).toBe(true);
    await rename(join(outside, 'away'), root);
  });

  it('says of itself that it is not ready when its folder is gone, and serves again when it is back [AT-05]', async () => {
    const { store, root } = opened;
    const key = newKey();
    await rename(root, join(outside, 'away'));
    const unavailable = { code: 'STORAGE_UNAVAILABLE', retryable: true, message: expect.stringContaining('ENOENT') };
    await expect(store.checkReady()).rejects.toMatchObject(unavailable);
    await expect(store.put(key, bodyOf('x'))).rejects.toMatchObject(unavailable);
    await rename(join(outside, 'away'), root);
    await store.checkReady();
    await store.put(key, bodyOf('x'));
  });
});
