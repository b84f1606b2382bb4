import type { PdfLibrary } from '../pdf-functions.ts';
import { isCutJpeg } from './jpeg-data.ts';
import { endsEarly, isReadable, measureData, readCoding, readPixels } from './picture-data.ts';

/** A page without any ink is coded in less. */
const BLANK_BYTES = 1000;

type Judged = {
  page: number;
  image: number;
  /** Whether nothing tells that it was drawn. */
  mayBeGone: boolean;
};

/** Whether nothing of a picture can be drawn, or it ends early. */
export function isBroken(library: PdfLibrary, { page, image, mayBeGone }: Judged): boolean {
  switch (readCoding(library, image)) {
    case 'jpeg':
      return !isReadable(library, page, image) || isCutJpeg(library, image);
    case 'bilevel':
      return mayBeGone && showsNothing(library, image);
    case 'packed':
    case 'none':
      return endsEarly(library, page, image) || (mayBeGone && !hasPixels(library, image));
    default:
      return mayBeGone && !hasPixels(library, image);
  }
}

/** Whether the reader gets pixels out of a picture. It decodes it for that. */
const hasPixels = (library: PdfLibrary, image: number): boolean => readPixels(library, image, () => true) ?? false;

/** Whether a picture of two colours has only one, although its data is that of more. */
const showsNothing = (library: PdfLibrary, image: number): boolean =>
  readPixels(library, image, (rows) => hasOneValue(rows) && measureData(library, image) > BLANK_BYTES) ?? true;

const hasOneValue = (rows: readonly Buffer[]): boolean =>
  rows.every((row) => row[0] === rows[0]?.[0] && row.subarray(1).equals(row.subarray(0, -1)));
