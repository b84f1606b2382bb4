import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { BlobNotFoundError, type BlobStore, createBlobKey } from '@attache/blob-store';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createEarlyBytes } from './early-bytes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const newKey = () => createBlobKey('00112233-4455-6677-8899-aabbccddeeff', randomBytes(16));

/** A store that has 100 bytes under every key but one that is missing, and counts what it is asked for. */
function given(options?: Parameters<typeof createEarlyBytes>[1]) {
  const asked: string[] = [];
  const missing = newKey();
  const get: BlobStore['get'] = async (key) => {
    asked.push(key);
    if (key === missing) throw new BlobNotFoundError(key);
    return Readable.from([Buffer.alloc(60, 1), Buffer.alloc(40, 2)]);
  };
  return { early: createEarlyBytes({ get }, options), asked, missing };
}

const blob = (key = newKey(), sizeBytes = 100) => ({ key, sizeBytes });

it('what was fetched is taken once', async () => {
  const { early, asked } = given();
  const [one, other] = [blob(), blob()];
  early.begin([one, other]);
  early.begin([one]);
  expect((await early.take(one.key))?.length).toBe(100);
  expect(early.take(one.key)).toBeUndefined();
  expect(early.take(newKey())).toBeUndefined();
  expect((await early.take(other.key))?.length).toBe(100);
  expect(asked).toEqual([one.key, other.key]);
});

it('what failed, or has no form of a key, is nothing', async () => {
  const { early, missing } = given();
  early.begin([blob(missing), { key: '../../etc/passwd', sizeBytes: 1 }]);
  expect(await early.take(missing)).toBeUndefined();
  expect(await early.take('../../etc/passwd')).toBeUndefined();
});

it('one that is longer than it was said to be is not read to its end', async () => {
  const { early } = given();
  const short = blob(newKey(), 10);
  early.begin([short]);
  expect((await early.take(short.key))?.length).toBe(60);
});

it('holds a bounded number of bytes, and none for long', async () => {
  const { early, asked } = given({ maxHeldBytes: 250 });
  const blobs = [blob(), blob(), blob()];
  early.begin(blobs);
  expect(asked).toHaveLength(2);
  await early.take(String(blobs[0]?.key));
  early.begin([blob()]);
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(early.take(String(blobs[1]?.key))).toBeUndefined();
  early.begin([blob(), blob()]);
  expect(asked).toHaveLength(5);
});

it('fetches nothing of a delivery that does not go through memory', () => {
  const { early, asked } = given();
  early.begin([blob(newKey(), 1024 * 1024), blob(newKey(), 1024 * 1024 + 1)]);
  expect(asked).toEqual([]);
});
