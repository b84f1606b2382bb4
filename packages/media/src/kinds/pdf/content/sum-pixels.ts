import type { PdfLibrary } from '../pdf-functions.ts';
import { NOTICED, readPixels } from './picture-data.ts';

/** Sums of the pixels of a picture, in pieces of its rows. */
export type PixelSums = Uint32Array;

const PIECES = 16;
/** The largest block of pixels, and the next one, which is mixed with it. */
const BLOCK_ROWS = 32;

/** Decodes a picture, and sums it up; undefined where the reader gets no pixels. */
export const sumPixels = (library: PdfLibrary, image: number): PixelSums | undefined =>
  readPixels(library, image, (rows) => Uint32Array.from(rows.flatMap(sumRow)));

function sumRow(row: Buffer): number[] {
  const pieceBytes = Math.ceil(row.length / PIECES);
  return Array.from({ length: PIECES }, (_, piece) => {
    let sum = 0;
    for (const byte of row.subarray(piece * pieceBytes, (piece + 1) * pieceBytes))
      sum = (Math.imul(sum, 31) + byte) >>> 0;
    return sum;
  });
}

/**
 * Whether a picture has a noticeably other end if its data continues: it then was not whole. More data may be used up before its end, so that all from the first
 * difference on counts, but the last block.
 */
export function isContinued(one: PixelSums, continued: PixelSums): boolean {
  const differing = one.reduce((count, sum, index) => count + (sum === continued[index] ? 0 : 1), 0);
  if (differing === 0) return false;
  if (differing >= one.length * NOTICED) return true;
  const missing = one.length - one.findIndex((sum, index) => sum !== continued[index]);
  return missing >= one.length * NOTICED && missing > BLOCK_ROWS * PIECES;
}
