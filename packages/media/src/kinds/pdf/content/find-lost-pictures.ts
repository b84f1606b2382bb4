import type { Raster } from '../../image/raster.ts';
import { type PdfLibrary, readBounds, readFour } from '../pdf-functions.ts';
import { type EvenSide, findEvenSide, type Region } from './find-edge.ts';
import type { PlacedImage } from './list-content.ts';
import { endsEarly, hasJpegEnd, hasPixels, measureData, NOTICED, readCoding } from './picture-data.ts';

/** Pictures of a page that are checked; further ones are not. */
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
    if (image.isInForm) return isLostInForm(library, page, image.object);
    const region = findRegion(library, page, image.object, raster);
    return region !== 'outside' && isLost(library, page, image.object, findEvenSide(raster, region));
  });
}

/** A page without any ink is coded in less. */
const BLANK_BYTES = 1000;

/** `side`: the most even one of the place where it is drawn. A picture that shows something up to each of its sides is there. */
function isLost(library: PdfLibrary, page: number, image: number, { share, isWhite }: EvenSide): boolean {
  if (share < NOTICED) return false;
  const coding = readCoding(library, image);
  if (share === 1 && !hasPixels(library, image)) return true;
  switch (coding) {
    case 'jpeg':
      // The decoder fills the rest with grey; white is the margin of a page.
      return !isWhite && !hasJpegEnd(library, image);
    case 'bilevel':
      return share === 1 && measureData(library, image) > BLANK_BYTES;
    case 'packed':
    case 'none':
      return endsEarly(library, page, image);
    default:
      return false;
  }
}

/** The same for a picture whose place on the page is not known. */
function isLostInForm(library: PdfLibrary, page: number, image: number): boolean {
  if (!hasPixels(library, image)) return true;
  const coding = readCoding(library, image);
  return (coding === 'packed' || coding === 'none') && endsEarly(library, page, image);
}

/** The place of an object in a drawing of the whole page; `outside` where it has no pixel there. */
function findRegion(library: PdfLibrary, page: number, object: number, { width, height }: Raster): Region | 'outside' {
  const bounds = readBounds(library, object);
  if (bounds === undefined) return 'outside';
  const one = toPixel(library, page, { x: bounds.left, y: bounds.bottom, width, height });
  const other = toPixel(library, page, { x: bounds.right, y: bounds.top, width, height });
  // Pixels at its edge are mixed with what lies around it.
  const region = {
    left: Math.min(one.x, other.x) + 1,
    top: Math.min(one.y, other.y) + 1,
    right: Math.max(one.x, other.x) - 1,
    bottom: Math.max(one.y, other.y) - 1,
  };
  return region.right > region.left && region.bottom > region.top ? region : 'outside';
}

type Place = { x: number; y: number; width: number; height: number };

/** A place of a page in points as the nearest pixel of its drawing. */
function toPixel(library: PdfLibrary, page: number, { x, y, width, height }: Place): { x: number; y: number } {
  const four = readFour(library, {
    call: (a, b) => library.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, a, b),
    read: (view, at) => view.getInt32(at, true),
  });
  const [deviceX, deviceY] = four ?? [0, 0];
  return { x: Math.max(0, Math.min(width, deviceX)), y: Math.max(0, Math.min(height, deviceY)) };
}
