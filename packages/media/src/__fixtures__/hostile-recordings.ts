import { readRecordingSample } from './recordings.ts';

const box = (type: string, ...content: Buffer[]) => {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};

const fileType = box('ftyp', Buffer.from('isom\0\0\0\0isommp42', 'latin1'));

// Lengths are written from the inside out, so that the deepest costs no copies.
function nestBoxes(types: readonly string[], depth: number): Buffer {
  const nested = Buffer.alloc(8 * depth);
  for (let level = 0; level < depth; level += 1) {
    nested.writeUInt32BE(nested.length - 8 * level, 8 * level);
    nested.write(types[level % types.length] ?? 'moov', 8 * level + 4, 'latin1');
  }
  return Buffer.concat([fileType, nested]);
}

/** Overwrites the numbers of a box, which come after its version and flags. */
function patchBox(type: string, ...values: number[]): Buffer {
  const file = Buffer.from(readRecordingSample('mp4-h264-faststart.mp4'));
  const start = file.indexOf(type) + 8;
  for (const [index, value] of values.entries()) file.writeUInt32BE(value, start + 4 * index);
  return file;
}

function nestElements(depth: number): Buffer {
  const header = readRecordingSample('webm-vp8.webm').subarray(0, 40);
  // A master element of unknown size in the next one.
  const level = Buffer.from('1f43b67501ffffffffffffff', 'hex');
  return Buffer.concat([
    header,
    Buffer.from('1853806701ffffffffffffff', 'hex'),
    ...Array.from({ length: depth }, () => level),
  ]);
}

function loseMatroskaPlace(): Buffer {
  const whole = readRecordingSample('mkv-h264.mkv');
  return Buffer.concat([whole.subarray(0, 100), Buffer.alloc(200_000, 0x5a)]);
}

function stretchAvi(): Buffer {
  const file = Buffer.from(readRecordingSample('avi-mjpeg.avi'));
  file.writeUInt32LE(0xffffffff, file.indexOf('strh') + 8 + 20);
  return file;
}

/** Files of little that claim much: lengths, counts, depths. */
export const hostileRecordings: readonly [claim: string, bytes: Buffer][] = [
  ['boxes in boxes, a hundred thousand deep', nestBoxes(['moov', 'trak', 'mdia', 'minf', 'stbl'], 100_000)],
  ['boxes of one kind in each other', nestBoxes(['moov'], 100_000)],
  ['a box of no length', Buffer.concat([fileType, Buffer.from('\0\0\0\0moov\0\0\0\0trak', 'latin1')])],
  [
    'a box longer than the file by 2^63',
    Buffer.concat([fileType, Buffer.from('\0\0\0\x01moov\x7f\xff\xff\xff\xff\xff\xff\xff', 'latin1')]),
  ],
  ['four billion samples of a time each', patchBox('stts', 1, 0xffffffff, 1)],
  ['four billion entries of times', patchBox('stts', 0xffffffff)],
  ['four billion sizes', patchBox('stsz', 0, 0xffffffff)],
  ['four billion samples of one byte', patchBox('stsz', 1, 0xffffffff)],
  ['four billion chunks', patchBox('stco', 0xffffffff)],
  ['a frame of a century', patchBox('stts', 1, 20, 0x7fffffff)],
  ['elements in elements, ten thousand deep', nestElements(10_000)],
  ['a lost place in Matroska', loseMatroskaPlace()],
  ['a picture of 136 years', stretchAvi()],
];
