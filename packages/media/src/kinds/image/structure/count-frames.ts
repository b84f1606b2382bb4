import { openRandomAccess, type RandomAccess } from '../../../file/read-file.ts';
import { type Box, readBoxes } from './boxes.ts';
import { readPngChunks } from './png-chunks.ts';

type Count = (file: RandomAccess) => number | undefined;

const counts: Record<string, Count> = {
  'image/png': countPngFrames,
  'image/avif': countSequenceFrames,
  'image/heic': countSequenceFrames,
  'image/heif': countSequenceFrames,
};

/** Number of frames that a file shows one after another, where its decoder knows the first one only. Undefined where it cannot be told. */
export function countFrames(path: string, mimeType: string): number | undefined {
  const count = counts[mimeType];
  if (count === undefined) return 1;
  const file = openRandomAccess(path);
  try {
    return count(file);
  } finally {
    file.close();
  }
}

// Viewers show no frame beyond those that are announced before the first pixels, and none without pixels.
function countPngFrames(file: RandomAccess): number {
  let announced: number | undefined;
  let frames = 0;
  let isBegun = false;
  for (const { type, contentAt } of readPngChunks(file)) {
    if (type === 'acTL') announced = readUint32(file, contentAt);
    if (type === 'IDAT' && announced === undefined) return 1;
    if (type === 'fcTL') isBegun = true;
    if (isBegun && (type === 'IDAT' || type === 'fdAT')) {
      frames += 1;
      isBegun = false;
    }
    if (type === 'IEND') break;
  }
  return Math.max(1, Math.min(frames, announced ?? 1));
}

const sequenceBrands = ['avis', 'msf1', 'hevc', 'heis'];

// A file that calls itself a sequence brings a track of pictures; each of its samples is one.
function countSequenceFrames(file: RandomAccess): number | undefined {
  const [first, ...boxes] = [...readBoxes(file, 0, file.sizeBytes)];
  const movie = boxes.find((box) => box.type === 'moov');
  if (first === undefined || movie === undefined || !isSequence(file, first)) return 1;
  const tracks = listWithin(file, movie, 'trak').filter((track) => showsPictures(file, track));
  const samples = tracks.map((track) => countSamples(file, track));
  // Those of fragments are counted nowhere.
  if (samples.includes(undefined) || findWithin(file, movie, ['mvex']) !== undefined) return undefined;
  return Math.max(1, ...samples.map(Number));
}

function isSequence(file: RandomAccess, { contentAt, end }: Box): boolean {
  const brands = file.bytesAt(contentAt, Math.min(end - contentAt, 256)).toString('latin1');
  return sequenceBrands.some((brand) => brands.includes(brand));
}

function showsPictures(file: RandomAccess, track: Box): boolean {
  const handler = findWithin(file, track, ['mdia', 'hdlr']);
  const type = handler && file.bytesAt(handler.contentAt + 8, 4).toString('latin1');
  return type === 'pict' || type === 'vide';
}

function countSamples(file: RandomAccess, track: Box): number | undefined {
  const table = findWithin(file, track, ['mdia', 'minf', 'stbl']);
  const sizes = table && (findWithin(file, table, ['stsz']) ?? findWithin(file, table, ['stz2']));
  return sizes && readUint32(file, sizes.contentAt + 8);
}

function findWithin(file: RandomAccess, box: Box, types: readonly string[]): Box | undefined {
  return types.reduce<Box | undefined>((found, type) => found && listWithin(file, found, type)[0], box);
}

function listWithin(file: RandomAccess, { contentAt, end }: Box, type: string): Box[] {
  return [...readBoxes(file, contentAt, end)].filter((box) => box.type === type);
}

function readUint32(file: RandomAccess, offset: number): number | undefined {
  const bytes = file.bytesAt(offset, 4);
  return bytes.length < 4 ? undefined : bytes.readUInt32BE(0);
}
