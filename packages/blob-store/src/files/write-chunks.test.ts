import { type FileHandle, open } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { bodyOf, brokenBody } from '../../contract/contract-bodies.ts';
import { writeChunks } from './write-chunks.ts';

/** A file that takes at most `mostBytes` of each write. */
function openSlowFile(mostBytes: number) {
  const written: Buffer[] = [];
  const writev = async (chunks: Uint8Array[]) => {
    const taken = Buffer.concat(chunks).subarray(0, mostBytes);
    written.push(taken);
    return { bytesWritten: taken.length };
  };
  return { written, opened: Promise.resolve({ writev } as unknown as FileHandle) };
}

describe('write chunks', () => {
  it.each([1_000_000, 99_999, 4096])(
    'continues where a write took only a part: %i bytes at most',
    async (mostBytes) => {
      const bytes = Buffer.from(Uint32Array.from({ length: 250_000 }, (_, index) => index).buffer);
      const { opened, written } = openSlowFile(mostBytes);
      expect(await writeChunks(opened, bodyOf(bytes, 70_001))).toBe(1_000_000);
      expect(Buffer.concat(written).equals(bytes)).toBe(true);
    },
  );

  it('writes a small body at once', async () => {
    const { opened, written } = openSlowFile(1_000_000);
    await writeChunks(opened, bodyOf(Buffer.alloc(100_000), 16_384));
    expect(written).toHaveLength(1);
  });

  it.each([
    [64 * 1024, 2 ** 20 + 64 * 1024],
    [1, 2048],
  ])('stops reading chunks of %i bytes while the disk does not take them', async (chunkBytes, mostBytes) => {
    let readBytes = 0;
    const { opened: file } = openSlowFile(10_000_000);
    let open: () => void = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    }).then(() => file);
    async function* countedBody() {
      for (let index = 0; index < 3000; index += 1) {
        readBytes += chunkBytes;
        yield Buffer.alloc(chunkBytes);
      }
    }
    const writing = writeChunks(opened, countedBody());
    for (let turn = 0; turn < 20_000; turn += 1) await Promise.resolve();
    expect(readBytes).toBeLessThanOrEqual(mostBytes);
    open();
    expect(await writing).toBe(3000 * chunkBytes);
  });

  it.each([10, 5_000_000])('reports a full disk as storage that may come back: %i bytes [W14]', async (sizeBytes) => {
    const opened = open('/dev/full', 'w');
    const writing = writeChunks(opened, bodyOf(Buffer.alloc(sizeBytes)));
    await expect(writing).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('ENOSPC'),
      cause: { code: 'ENOSPC' },
    });
    await (await opened).close();
  });

  it('has no write in flight when the body breaks', async () => {
    let inFlight = 0;
    const writev = async (chunks: Uint8Array[]) => {
      inFlight += 1;
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return { bytesWritten: Buffer.concat(chunks).length };
    };
    const opened = Promise.resolve({ writev } as unknown as FileHandle);
    const broken = writeChunks(opened, brokenBody(Buffer.alloc(300_000), new Error('broken')));
    await expect(broken).rejects.toThrow('broken');
    expect(inFlight).toBe(0);
  });
});
