import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { BlobNotFoundError, type BlobStore } from '../src/blob-store.ts';
import { bodyOf, brokenBody, newKey, readAll, sha256Of } from './contract-bodies.ts';

const megabyte = 1024 * 1024;

/** Storing, refusing, deleting. */
export function describePut(useStore: () => BlobStore): void {
  describeStoring(useStore);
  describeRefusing(useStore);
}

function describeStoring(useStore: () => BlobStore): void {
  it('says that it is ready when it can write [AT-05]', async () => {
    await expect(useStore().checkReady()).resolves.toBeUndefined();
  });

  it('has the bytes when a put resolves, and gives back the same [AT-02 AT-05]', async () => {
    const store = useStore();
    const key = newKey();
    const bytes = randomBytes(5 * megabyte);
    expect(await store.put(key, bodyOf(bytes, 100_000))).toEqual({ sizeBytes: bytes.length });
    expect(await store.head(key)).toEqual({ sizeBytes: bytes.length });
    expect(sha256Of(await readAll(store, key))).toBe(sha256Of(bytes));
  });

  it.each([
    ['many tiny chunks', randomBytes(5000), 1],
    ['one large chunk', randomBytes(3 * megabyte), 3 * megabyte],
    ['odd chunks', randomBytes(1_234_567), 777],
  ])('keeps the order of %s [AT-05]', async (_name, bytes, chunkBytes) => {
    const store = useStore();
    const key = newKey();
    await store.put(key, bodyOf(bytes, chunkBytes), { sizeBytes: bytes.length });
    expect(sha256Of(await readAll(store, key))).toBe(sha256Of(bytes));
  });

  it('stores a blob of no bytes [AT-05]', async () => {
    const store = useStore();
    const key = newKey();
    expect(await store.put(key, bodyOf(''), { sizeBytes: 0 })).toEqual({ sizeBytes: 0 });
    expect(await store.head(key)).toEqual({ sizeBytes: 0 });
    expect(await readAll(store, key)).toHaveLength(0);
  });

  it('forgets a deleted blob and may be told twice [AT-05]', async () => {
    const store = useStore();
    const key = newKey();
    await store.put(key, bodyOf('gone soon'));
    await store.delete(key);
    await store.delete(key);
    await store.delete(newKey());
    await expect(store.head(key)).rejects.toBeInstanceOf(BlobNotFoundError);
  });
}

function describeRefusing(useStore: () => BlobStore): void {
  it('never changes a stored blob: the second put to a key is refused [AT-05]', async () => {
    const store = useStore();
    const key = newKey();
    await store.put(key, bodyOf('first'));
    await expect(store.put(key, bodyOf('second'))).rejects.toMatchObject({ code: 'UPLOAD_CONFLICT' });
    expect((await readAll(store, key)).toString()).toBe('first');
  });

  it('lets one of several puts to a key win whole [AT-05]', async () => {
    const store = useStore();
    const key = newKey();
    const bodies = Array.from({ length: 6 }, () => randomBytes(300_000));
    const puts = await Promise.allSettled(bodies.map((bytes) => store.put(key, bodyOf(bytes))));
    const winner = puts.findIndex((put) => put.status === 'fulfilled');
    const refusals = puts.filter((put) => put.status === 'rejected').map((put) => put.reason.code);
    expect(refusals).toEqual(Array(5).fill('UPLOAD_CONFLICT'));
    expect(sha256Of(await readAll(store, key))).toBe(sha256Of(bodies[winner] ?? new Uint8Array()));
  });

  it.each([0, 9, 11, 2_000_000])('keeps nothing of 10 bytes announced as %i [AT-02]', async (sizeBytes) => {
    const store = useStore();
    const key = newKey();
    const put = store.put(key, bodyOf('0123456789', 4), { sizeBytes });
    await expect(put).rejects.toMatchObject({ code: 'INVALID_REQUEST', retryable: false });
    await expect(store.head(key)).rejects.toBeInstanceOf(BlobNotFoundError);
  });

  it.each([0, 1000, 2 * megabyte])('keeps nothing of a body that breaks after %i bytes [W1 AT-02]', async (count) => {
    const store = useStore();
    const key = newKey();
    const error = new Error('the client went away');
    await expect(store.put(key, brokenBody(randomBytes(count), error))).rejects.toBe(error);
    await expect(store.head(key)).rejects.toBeInstanceOf(BlobNotFoundError);
    await store.put(key, bodyOf('the key is still free'));
  });

  it.each(['before it starts', 'while it waits for bytes'])('keeps nothing when aborted %s [W1]', async (moment) => {
    const store = useStore();
    const key = newKey();
    const abort = new AbortController();
    const reason = new Error('stop');
    async function* stalledBody() {
      yield Buffer.from('some bytes');
      abort.abort(reason);
      await new Promise(() => {});
    }
    if (moment === 'before it starts') abort.abort(reason);
    await expect(store.put(key, stalledBody(), { signal: abort.signal })).rejects.toBe(reason);
    await expect(store.head(key)).rejects.toBeInstanceOf(BlobNotFoundError);
  });
}
