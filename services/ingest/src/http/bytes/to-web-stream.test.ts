import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { toWebStream } from './to-web-stream.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a Node stream as the body of an answer', () => {
  it('gives its chunks out as they are, in order, and ends', async () => {
    const chunks = Array.from({ length: 50 }, (_, index) => Buffer.from([index]));
    const got: unknown[] = [];
    for await (const chunk of toWebStream(Readable.from(chunks))) got.push(chunk);
    expect(got).toEqual(chunks);
    expect(got.every((chunk, index) => chunk === chunks[index])).toBe(true);
  });

  it('reads no more than a few chunks ahead of who reads it', async () => {
    let pulled = 0;
    const source = new Readable({
      highWaterMark: 1,
      read() {
        pulled += 1;
        this.push(Buffer.alloc(1024));
      },
    });
    const reader = toWebStream(source).getReader();
    await reader.read();
    for (let rest = 0; rest < 20; rest += 1) await turn();
    expect(pulled).toBeLessThan(12);
    await reader.cancel();
    expect(source.destroyed).toBe(true);
  });

  it('fails where the source fails or closes before its end', async () => {
    const failing = new Readable({ read() {} });
    const failed = toWebStream(failing).getReader().read();
    failing.destroy(new Error('gone'));
    await expect(failed).rejects.toThrow('gone');
    const closing = new Readable({ read() {} });
    const closed = toWebStream(closing).getReader().read();
    closing.destroy();
    await expect(closed).rejects.toThrow('closed before its end');
  });
});
