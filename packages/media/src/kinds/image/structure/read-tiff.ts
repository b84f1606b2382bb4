import { openRandomAccess, type RandomAccess } from '../../../file/read-file.ts';
import { holdsAllNumbers, listDirectories, readNumbers, type TiffDirectory } from './tiff-directories.ts';

/** The first picture of a TIFF, as its tags describe it. `pages` are all of its pictures. */
export type TiffPicture = {
  width: number;
  height: number;
  hasAlpha: boolean;
  pages: number;
  compression: number;
  photometric: number;
  /** Bits of each sample of a pixel. */
  bits: readonly number[];
  formats: readonly number[];
  isPlanar: boolean;
  isTiled: boolean;
  /** Pixels for one sample of colour, across and down. */
  subsampling: readonly number[];
  predictor: number;
};

const tags = {
  ...{ width: 256, height: 257, bits: 258, compression: 259, photometric: 262, orientation: 274, samples: 277 },
  ...{ planar: 284, predictor: 317, tileWidth: 322, extraSamples: 338, formats: 339, subsampling: 530 },
  ...{ stripOffsets: 273, stripSizes: 279, tileOffsets: 324, tileSizes: 325, jpegOffset: 513, jpegSize: 514 },
};

/** Reads the tags of a TIFF; undefined where it is damaged: a tag that is needed is missing, or data lies beyond the end of the file. */
export function readTiff(path: string): TiffPicture | undefined {
  const file = openRandomAccess(path);
  try {
    const directories = listDirectories(file);
    const [first] = directories;
    if (first === undefined || !holdsAllNumbers(file, first) || !holdsPixels(file, first)) return undefined;
    return describePicture(file, first, directories.length);
  } finally {
    file.close();
  }
}

/** Whether tiles of a TIFF lie beyond the end of its file, which the decoder forgives: it takes them for empty. */
export function lacksTiles(path: string): boolean {
  const file = openRandomAccess(path);
  try {
    const [first] = listDirectories(file);
    if (first === undefined || !first.entries.has(tags.tileWidth)) return false;
    return !holdsPixels(file, first);
  } finally {
    file.close();
  }
}

function describePicture(file: RandomAccess, directory: TiffDirectory, pages: number): TiffPicture | undefined {
  const list = (tag: number) => readNumbers(file, directory, tag, 16);
  const read = (tag: number, otherwise: number) => list(tag)[0] ?? otherwise;
  const [width, height, photometric] = [read(tags.width, 0), read(tags.height, 0), list(tags.photometric)[0]];
  if (width === 0 || height === 0 || photometric === undefined) return undefined;
  const isTurned = read(tags.orientation, 1) >= 5;
  // A short list holds for the further samples, too.
  const bits = list(tags.bits);
  const samples = Math.min(16, read(tags.samples, bits.length || 1));
  return {
    ...(isTurned ? { width: height, height: width } : { width, height }),
    hasAlpha: list(tags.extraSamples).some((meaning) => meaning === 1 || meaning === 2),
    pages,
    compression: read(tags.compression, 1),
    photometric,
    bits: Array.from({ length: samples }, (_, index) => bits[index] ?? bits[0] ?? 1),
    formats: list(tags.formats),
    isPlanar: read(tags.planar, 1) === 2,
    isTiled: list(tags.tileWidth).length > 0,
    subsampling: list(tags.subsampling),
    predictor: read(tags.predictor, 1),
  };
}

// More pieces than a picture of our size has.
const mostPieces = 100_000;

function holdsPixels(file: RandomAccess, directory: TiffDirectory): boolean {
  const list = (...alternatives: number[]) =>
    alternatives.map((tag) => readNumbers(file, directory, tag, mostPieces)).find(({ length }) => length > 0) ?? [];
  const offsets = list(tags.stripOffsets, tags.tileOffsets, tags.jpegOffset);
  const sizes = list(tags.stripSizes, tags.tileSizes, tags.jpegSize);
  return offsets.length > 0 && offsets.every((offset, index) => offset + (sizes[index] ?? 1) <= file.sizeBytes);
}
