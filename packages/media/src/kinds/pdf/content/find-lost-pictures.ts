import type { Raster } from '../../image/raster.ts';
import { allocate, type PdfLibrary } from '../pdf-functions.ts';
import { measureEvenSide, type Region } from './find-edge.ts';
import type { PlacedImage } from './list-content.ts';
import { endsEarly, hasJpegEnd, hasPixels, measureData, readCoding } from './picture-data.ts';

/** Pictures of a page that are looked at; beyond these nothing is said. */
const MOST_PICTURES = 200;

/** Which pictures cannot be drawn, as far as their data says without being decoded. */
export function listUnknownPictures(library: PdfLibrary, images: readonly PlacedImage[]): PlacedImage[] {
  return images
    .slice(0, MOST_PICTURES)
    .filter(({ object }) => measureData(library, object) === 0 || readCoding(library, object) === 'unknown');
}

/** Whether a picture of a drawn page is not to be seen there, or ends early. */
export function hasLostPicture(
  library: PdfLibrary,
  { page, images, raster }: { page: number; images: readonly PlacedImage[]; raster: Raster },
): boolean {
  return images.slice(0, MOST_PICTURES).some((image) => {
    if (image.isInForm) return !hasPixels(library, image.object);
    const region = findRegion(library, page, image.object, raster);
    return region !== 'outside' && isLost(library, page, image.object, measureEvenSide(raster, region));
  });
}

/** A page without any ink is coded in less. */
const BLANK_BYTES = 1000;
/** A share of a picture that may be missing without being noticed. */
const NOTICED = 0.02;

/** `even`: how much of it has one colour. A picture that shows something up to each of its sides is there. */
function isLost(library: PdfLibrary, page: number, image: number, even: number): boolean {
  if (even < NOTICED) return false;
  const coding = readCoding(library, image);
  if (even === 1 && !hasPixels(library, image)) return true;
  switch (coding) {
    case 'jpeg':
      return !hasJpegEnd(library, image);
    case 'bilevel':
      return even === 1 && measureData(library, image) > BLANK_BYTES;
    case 'packed':
    case 'none':
      return endsEarly(library, page, image);
    default:
      return false;
  }
}

const WORD_BYTES = 4;

/** The place of an object in a drawing of the whole page; `outside` where it has no pixel there. */
function findRegion(library: PdfLibrary, page: number, object: number, { width, height }: Raster): Region | 'outside' {
  const pointer = allocate(library, 4 * WORD_BYTES);
  try {
    const [a, b, c, d] = [0, 1, 2, 3].map((index) => pointer + index * WORD_BYTES) as [number, number, number, number];
    if (!library.FPDFPageObj_GetBounds(object, a, b, c, d)) return 'outside';
    const view = new DataView(library.pdfium.HEAPU8.buffer, pointer, 4 * WORD_BYTES);
    const [left = 0, bottom = 0, right = 0, top = 0] = [0, 4, 8, 12].map((at) => view.getFloat32(at, true));
    const corners = [
      [left, bottom],
      [right, top],
    ].map(([x = 0, y = 0]) => {
      library.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, a, b);
      return { x: view.getInt32(0, true), y: view.getInt32(4, true) };
    });
    const xs = corners.map(({ x }) => Math.max(0, Math.min(width, x))).toSorted((one, other) => one - other);
    const ys = corners.map(({ y }) => Math.max(0, Math.min(height, y))).toSorted((one, other) => one - other);
    // Pixels at its edge are mixed with what lies around it.
    const region = { left: (xs[0] ?? 0) + 1, top: (ys[0] ?? 0) + 1, right: (xs[1] ?? 0) - 1, bottom: (ys[1] ?? 0) - 1 };
    return region.right > region.left && region.bottom > region.top ? region : 'outside';
  } finally {
    library.pdfium.wasmExports.free(pointer);
  }
}
