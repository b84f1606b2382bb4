import { expect, it } from 'vitest';
import { makePng } from '../../__fixtures__/wire-media.ts';
import { readPictureSize } from './picture-size.ts';

const jpeg = (...segments: number[][]) =>
  Buffer.concat([Buffer.from([0xff, 0xd8, ...segments.flat()]), Buffer.alloc(40)]);
const frame = [0xff, 0xc2, 0, 17, 8, 0x01, 0x02, 0x03, 0x04];
const webp = (kind: string, at: number, ...bytes: number[]) => {
  const file = Buffer.alloc(40);
  file.write('RIFF\0\0\0\0WEBP');
  file.write(kind, 12);
  file.set(bytes, at);
  return file;
};
const size = { width: 0x304, height: 0x102 };

it.each([
  ['PNG', makePng(size.width, size.height), size],
  ['GIF', Buffer.concat([Buffer.from('GIF89a\x04\x03\x02\x01', 'latin1'), Buffer.alloc(40)]), size],
  ['JPEG', jpeg([0xff, 0xe0, 0, 4, 1, 2], [0xff, 0xff, 0xdb, 0, 3, 0], frame), size],
  ['JPEG without a frame', jpeg([0xff, 0xda, 0, 2]), undefined],
  ['JPEG whose notes are longer than its head', jpeg([0xff, 0xe1, 0xff, 0xff]), 'more'],
  ['JPEG that is none', jpeg([0, 1, 2, 3]), undefined],
  ['WebP, lossy', webp('VP8 ', 26, 0x04, 0x03, 0x02, 0x01), size],
  ['WebP, lossless', webp('VP8L', 21, 0x03, 0x43, 0x40, 0), size],
  ['WebP, extended', webp('VP8X', 24, 0x03, 0x03, 0, 0x01, 0x01, 0), size],
  ['PDF', Buffer.from('%PDF-1.7 and more of this and that'), undefined],
  ['the start of anything', Buffer.from('%PDF'), 'more'],
])('the size of a picture: %s', (_, head, expected) => {
  expect(readPictureSize(head)).toEqual(expected);
});
