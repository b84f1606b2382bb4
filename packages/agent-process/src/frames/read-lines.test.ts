import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

async function readAll(chunks: string[], maxLineBytes = 1000): Promise<string[]> {
  const found: string[] = [];
  for await (const line of readLines(Readable.from(chunks.map((each) => Buffer.from(each))), maxLineBytes)) {
    found.push(line.type === 'line' ? line.bytes.toString() : line.type);
  }
  return found;
}

describe('readLines', () => {
  it('joins lines over chunks and gives out the last one without its newline', async () => {
    expect(await readAll(['a', 'b\nc', '\n\nd\ne'])).toEqual(['ab', 'c', '', 'd', 'e']);
  });

  it('takes a line of exactly the limit and ends at one byte more', async () => {
    expect(await readAll(['12345\n123', '456\n1\n'], 5)).toEqual(['12345', 'too-long']);
  });

  it('reads a line that comes byte by byte', async () => {
    const line = 'x'.repeat(3000);
    expect(await readAll([...line, '\n'], 3000)).toEqual([line]);
  });

  it('never holds more than the limit of a line of 64 MB [W18]', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let pulledBytes = 0;
    async function* endless() {
      for (; pulledBytes < 64_000_000; pulledBytes += chunk.length) yield chunk;
    }
    const found: string[] = [];
    for await (const line of readLines(endless(), 1_000_000)) found.push(line.type);
    expect(found).toEqual(['too-long']);
    expect(pulledBytes).toBeLessThan(1_100_000);
  });
});
