import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { buildPngHeader, drawAnimation, drawPattern, encodePattern } from '../../__fixtures__/images.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { findImageEnd } from './find-image-end.ts';

const readFixture = (name: string) =>
  readFile(fileURLToPath(new URL(`../../worker/__fixtures__/${name}`, import.meta.url)));

const folder = createTempFolder();
afterAll(folder.remove);
const size = { width: 90, height: 70 };
const samples: [string, () => Promise<Buffer>][] = [
  ['image/png', () => encodePattern(size, 'png')],
  ['image/jpeg', () => encodePattern(size, 'jpeg')],
  [
    'image/jpeg',
    () =>
      drawPattern(size)
        .jpeg({ progressive: true })
        .withExif({ IFD0: { Artist: 'A' } })
        .toBuffer(),
  ],
  ['image/gif', () => drawAnimation(size, 3)],
  ['image/heic', () => readFixture('turned.heic')],
  ['image/webp', () => encodePattern(size, 'webp')],
];

it.each(samples)('finds the end of %s, with and without a second file behind it [S10]', async (mimeType, draw) => {
  const image = await draw();
  expect(findImageEnd(folder.write('plain', image), mimeType)).toBe(image.length);
  const polyglot = Buffer.concat([image, Buffer.from('<script>alert(1)</script>'.repeat(4000))]);
  expect(findImageEnd(folder.write('polyglot', polyglot), mimeType)).toBe(image.length);
});

it.each(samples.slice(0, 4))('finds no end of %s that is cut off anywhere', async (mimeType, draw) => {
  const image = await draw();
  for (let length = 2; length < image.length; length += 499) {
    expect(findImageEnd(folder.write('cut', image.subarray(0, length)), mimeType)).toBeUndefined();
  }
});

it('says nothing of formats without an end marker', () => {
  expect(findImageEnd(folder.write('x', buildPngHeader(size)), 'image/tiff')).toBeUndefined();
});

it('finds no end of HEIC whose pixels are cut off, also where their length is written in 8 bytes', async () => {
  const image = await readFixture('turned.heic');
  expect(findImageEnd(folder.write('cut', image.subarray(0, -1)), 'image/heic')).toBeUndefined();
  const long = Buffer.concat([Buffer.from('\0\0\0\x01mdat\0\0\0\0\0\0\0\x20', 'latin1'), Buffer.alloc(16)]);
  expect(findImageEnd(folder.write('long', long), 'image/heic')).toBe(32);
  expect(findImageEnd(folder.write('cut', long.subarray(0, -1)), 'image/heic')).toBeUndefined();
});
