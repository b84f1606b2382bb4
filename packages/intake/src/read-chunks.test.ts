import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readChunks } from './read-chunks.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(stream)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('chunks of a stream', () => {
  it('gives every byte in order', async () => {
    const parts = Array.from({ length: 3000 }, (_, index) => Buffer.from(`${index},`));
    expect((await readAll(Readable.from(parts))).equals(Buffer.concat(parts))).toBe(true);
    expect(await readAll(Readable.from([]))).toHaveLength(0);
  });

  it('leaves the stream alive and paused when its reader stops, and survives its later error [S14]', async () => {
    const stream = new PassThrough();
    stream.write('first');
    for await (const _chunk of readChunks(stream)) break;
    stream.write('second');
    await settle();
    expect([stream.destroyed, stream.isPaused()]).toEqual([false, true]);
    stream.destroy(new Error('client went away'));
    await settle();
    expect(stream.destroyed).toBe(true);
  });

  it('leaves a stream alone that another reads by then', async () => {
    const stream = new PassThrough();
    stream.write('first');
    const chunks = readChunks(stream);
    await chunks.next();
    const read: string[] = [];
    stream.on('data', (chunk) => read.push(String(chunk)));
    await chunks.return(undefined);
    stream.end('second');
    await settle();
    expect(read.join('')).toContain('second');
  });

  it('throws the error of the stream, after the bytes before it', async () => {
    const stream = new PassThrough();
    const error = new Error('broken');
    stream.write('some');
    const chunks = readChunks(stream);
    expect(String((await chunks.next()).value)).toBe('some');
    stream.destroy(error);
    await expect(chunks.next()).rejects.toBe(error);
  });

  it.each(['before', 'while'])(
    'throws when its client goes away and the stream closes without an end, %s it is read [W1]',
    async (moment) => {
      const stream = new PassThrough();
      if (moment === 'before') stream.destroy();
      const reading = readAll(stream);
      if (moment === 'while') stream.destroy();
      await expect(reading).rejects.toThrow('cut off');
    },
  );

  it.each([
    [64 * 1024, 8],
    [1, 515],
  ])('reads little ahead of a slow reader: chunks of %i bytes', async (chunkBytes, mostChunks) => {
    let given = 0;
    async function* source() {
      while (given < 5000) {
        given += 1;
        yield Buffer.alloc(chunkBytes);
      }
    }
    const chunks = readChunks(Readable.from(source(), { highWaterMark: 1 }));
    await chunks.next();
    for (let turn = 0; turn < 50; turn += 1) await settle();
    expect(given).toBeLessThanOrEqual(mostChunks);
    await chunks.return(undefined);
  });
});
