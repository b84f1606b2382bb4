import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMeasuredStream } from './measure-stream.ts';

async function* chunksOf(bytes: Uint8Array, sizes: number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    if (at < bytes.length) yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('measured stream', () => {
  it('tells size, digest and head, however the bytes are cut [AT-02]', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), sizes, fc.nat(50), async (bytes, cuts, headBytes) => {
        const measured = createMeasuredStream(chunksOf(bytes, cuts), { maxBytes: 300, headBytes });
        expect((await readAll(measured.stream)).equals(bytes)).toBe(true);
        const { sizeBytes, sha256, head } = measured.result();
        expect(sizeBytes).toBe(bytes.length);
        expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
        expect(Buffer.from(head).equals(bytes.subarray(0, headBytes))).toBe(true);
      }),
    );
  });

  it('lets a file of exactly the limit pass [AT-17]', async () => {
    const measured = createMeasuredStream(chunksOf(new Uint8Array(1000), [1, 998]), { maxBytes: 1000 });
    expect(await readAll(measured.stream)).toHaveLength(1000);
    expect(measured.result().sizeBytes).toBe(1000);
  });

  it('stops at the limit, names it, reads no further and hands nothing beyond it on [AT-17 S14]', async () => {
    let readBytes = 0;
    let hasReturned = false;
    async function* endless() {
      try {
        while (true) {
          readBytes += 100;
          yield new Uint8Array(100);
        }
      } finally {
        hasReturned = true;
      }
    }
    const measured = createMeasuredStream(endless(), { maxBytes: 1000 });
    let passedBytes = 0;
    const reading = (async () => {
      for await (const chunk of measured.stream) passedBytes += chunk.length;
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      retryable: false,
      message: expect.stringContaining('1000 bytes'),
    });
    expect([passedBytes, readBytes, hasReturned]).toEqual([1000, 1100, true]);
    expect(() => measured.result()).toThrow('has not ended');
  });

  it('rethrows what the source throws', async () => {
    const error = new Error('gone');
    async function* broken() {
      yield new Uint8Array(3);
      throw error;
    }
    await expect(readAll(createMeasuredStream(broken(), { maxBytes: 10 }).stream)).rejects.toBe(error);
  });
});
