import { closeSync, openSync, writevSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bodyOf, brokenBody } from '../../contract/contract-bodies.ts';
import { writeChunks } from './write-chunks.ts';

/** A file that takes at most `mostBytes` of each write. */
function openSlowFile(mostBytes: number) {
  const written: Buffer[] = [];
  const writeAtOnce = (chunks: readonly Uint8Array[]) => {
    const taken = Buffer.concat(chunks).subarray(0, mostBytes);
    written.push(taken);
    return taken.length;
  };
  return { written, file: { writeAtOnce, write: async (chunks: readonly Uint8Array[]) => writeAtOnce(chunks) } };
}

describe('write chunks', () => {
  it.each([1_000_000, 99_999, 4096])(
    'continues where a write took only a part: %i bytes at most',
    async (mostBytes) => {
      const bytes = Buffer.from(Uint32Array.from({ length: 250_000 }, (_, index) => index).buffer);
      for (const sizeBytes of [1_000_000, 262_145, 262_144, 262_143, 5000, 1]) {
        const { file, written } = openSlowFile(mostBytes);
        expect(await writeChunks(file, bodyOf(bytes.subarray(0, sizeBytes), 70_001))).toBe(sizeBytes);
        expect(Buffer.concat(written).equals(bytes.subarray(0, sizeBytes))).toBe(true);
      }
    },
  );

  it('writes a small body at once', async () => {
    const { file, written } = openSlowFile(1_000_000);
    const write = () => Promise.reject(new Error('a thread was asked'));
    await writeChunks({ ...file, write }, bodyOf(Buffer.alloc(100_000), 16_384));
    expect(written).toHaveLength(1);
  });

  it('writes nothing of an empty body', async () => {
    const { file, written } = openSlowFile(1_000_000);
    expect(await writeChunks(file, bodyOf(Buffer.alloc(0)))).toBe(0);
    expect(written).toEqual([]);
  });

  it.each([
    [64 * 1024, 2 ** 20 + 64 * 1024, 100],
    [1, 2048, 3000],
  ])('stops reading chunks of %i bytes while the disk does not take them', async (chunkBytes, mostBytes, count) => {
    let readBytes = 0;
    const { file } = openSlowFile(10_000_000);
    const ready = Promise.withResolvers<void>();
    const write = (chunks: readonly Uint8Array[]) => ready.promise.then(() => file.write(chunks));
    async function* countedBody() {
      for (let index = 0; index < count; index += 1) {
        readBytes += chunkBytes;
        yield Buffer.alloc(chunkBytes);
      }
    }
    const writing = writeChunks({ ...file, write }, countedBody());
    for (let turn = 0; turn < 20_000; turn += 1) await Promise.resolve();
    expect(readBytes).toBeLessThanOrEqual(mostBytes);
    ready.resolve();
    expect(await writing).toBe(count * chunkBytes);
  });

  it.each([10, 5_000_000])('reports a full disk as storage that may come back: %i bytes [W14]', async (sizeBytes) => {
    const full = openSync('/dev/full', 'w');
    const writeAtOnce = (chunks: readonly Uint8Array[]) => writevSync(full, chunks);
    const writing = writeChunks(
      { writeAtOnce, write: async (chunks) => writeAtOnce(chunks) },
      bodyOf(Buffer.alloc(sizeBytes)),
    );
    await expect(writing).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('ENOSPC'),
      cause: { code: 'ENOSPC' },
    });
    closeSync(full);
  });

  it.each([10, 5_000_000])('says that a disk which takes no byte is broken: %i bytes [W14]', async (sizeBytes) => {
    const writing = writeChunks({ writeAtOnce: () => 0, write: async () => 0 }, bodyOf(Buffer.alloc(sizeBytes)));
    await expect(writing).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', cause: { code: 'EIO' } });
  });

  it('has no write in flight when the body breaks', async () => {
    let inFlight = 0;
    const write = async (chunks: readonly Uint8Array[]) => {
      inFlight += 1;
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return Buffer.concat(chunks).length;
    };
    const { file } = openSlowFile(1_000_000);
    const broken = writeChunks({ ...file, write }, brokenBody(Buffer.alloc(300_000), new Error('broken')));
    await expect(broken).rejects.toThrow('broken');
    expect(inFlight).toBe(0);
  });
});
