import type { TiffPicture } from './read-tiff.ts';

type Gap = { what: string; isLacked(picture: TiffPicture): boolean };

/** Kinds of TIFF that the format allows and the decoder lacks, as trials of it showed. */
const gaps: readonly Gap[] = [
  { what: 'this compression', isLacked: ({ compression }) => isKnown(compression) && !decoded.has(compression) },
  { what: 'these colours', isLacked: lacksColours },
  { what: 'these bits of a sample', isLacked: lacksBits },
  { what: 'as many samples of a pixel', isLacked: ({ bits }) => bits.length > 5 },
  {
    what: 'tiles of one sample each',
    isLacked: ({ bits, isTiled, isPlanar }) => isTiled && isPlanar && bits.length > 1,
  },
  { what: 'this prediction', isLacked: ({ predictor }) => predictor > 3 },
];

/** Names what the decoder lacks for a TIFF; undefined where it has all that this kind needs. */
export function findTiffGap(picture: TiffPicture): string | undefined {
  return gaps.find(({ isLacked }) => isLacked(picture))?.what;
}

// None, CCITT, LZW, JPEG, Deflate, PackBits, NeXT, ThunderScan, SGI Log and WebP.
const decoded = new Set([1, 2, 3, 4, 5, 7, 8, 32_766, 32_771, 32_773, 32_809, 32_946, 34_676, 34_677, 50_001]);

const jpeg = 7;
// No sample is larger, but where it is damaged.
const mostBits = 128;

// Old JPEG and JBIG; the higher numbers belong to whoever asked for them.
const isKnown = (compression: number) => (compression >= 1 && compression <= 10) || compression >= 32_766;

const [cmyk, yCbCr, lab, logLuv] = [5, 6, 8, 32_845];
// Black and white either way, RGB, and colours from a table.
const decodedColours = new Set([0, 1, 2, 3, cmyk, yCbCr, lab, logLuv]);

function lacksColours({ photometric, bits, isPlanar, subsampling, compression }: TiffPicture): boolean {
  if (photometric === lab) return bits[0] === 8 || bits.length < 3;
  if (photometric === cmyk) return bits.length < 4;
  if (photometric === yCbCr) return isPlanar && subsampling.join() !== '1,1';
  if (photometric === logLuv) return compression !== 34_676 && compression !== 34_677;
  return isNamed(photometric) && !decodedColours.has(photometric);
}

const isNamed = (photometric: number) => photometric <= 10 || photometric >= 32_768;

function lacksBits({ bits, formats, compression }: TiffPicture): boolean {
  const [size = 1] = bits;
  if (bits.some((other) => other < 1 || other > mostBits)) return false;
  if (bits.some((other) => other !== size) || (compression === jpeg && size !== 8)) return true;
  // Complex numbers, and numbers with a fraction in a byte.
  if (formats.some((format) => format > 4) || (formats[0] === 3 && size === 8)) return true;
  return [1, 2, 4].includes(size) ? bits.length > 1 : ![8, 16, 32].includes(size);
}
