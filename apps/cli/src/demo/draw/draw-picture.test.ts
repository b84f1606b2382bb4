import { crc32, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { drawPicture } from './draw-picture.ts';

type Chunk = { type: string; data: Buffer; isIntact: boolean };

function readChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    const isIntact = crc32(body) === png.readUInt32BE(at + 8 + length);
    chunks.push({ type: body.toString('latin1', 0, 4), data: body.subarray(4), isIntact });
    at += 12 + length;
  }
  return chunks;
}

describe('the demo’s picture', () => {
  const png = drawPicture();
  const chunks = readChunks(png);

  it('is a PNG whose parts are whole', () => {
    expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect(chunks.map(({ type }) => type)).toEqual(['IHDR', 'IDAT', 'IEND']);
    expect(chunks.every(({ isIntact }) => isIntact)).toBe(true);
  });

  it('holds as many unfiltered rows of three-byte pixels as its header says', () => {
    const [header = Buffer.alloc(13), pixels = Buffer.alloc(0)] = chunks.map(({ data }) => data);
    const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
    expect(Math.min(width, height)).toBeGreaterThan(300);
    expect([...header.subarray(8)]).toEqual([8, 2, 0, 0, 0]);
    const rows = inflateSync(pixels);
    const stride = 1 + width * 3;
    expect(rows.length).toBe(height * stride);
    expect(Array.from({ length: height }, (_, y) => rows[y * stride]).every((filter) => filter === 0)).toBe(true);
  });

  it('is the same each time, so that its digest can be compared', () => {
    expect(drawPicture().equals(png)).toBe(true);
  });
});
