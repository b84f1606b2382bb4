import type { Raster } from '../../image/raster.ts';
import { type PdfLibrary, readBounds, readFour } from '../pdf-functions.ts';
import { isMostlyOneColour, type Region } from './find-colour.ts';
import { isBroken } from './judge-picture.ts';
import type { PlacedImage } from './list-content.ts';
import { measureData, readCoding } from './picture-data.ts';

/** Pictures of a page that are checked; further ones are not. */
const MOST_PICTURES = 200;

/** Which pictures cannot be drawn, as far as their data says without being decoded. */
export const listUnknownPictures = (library: PdfLibrary, images: readonly PlacedImage[]): PlacedImage[] =>
  images.slice(0, MOST_PICTURES).filter(({ object }) => {
    const coding = readCoding(library, object);
    // The reader copies data to measure it. That of a scan is large, and is not empty: it has a head, which is looked at when it is drawn.
    return coding === 'unknown' || ((coding === 'packed' || coding === 'none') && measureData(library, object) === 0);
  });

/** Whether a picture of a drawn page is not to be seen there, or ends early. */
export function hasLostPicture(
  library: PdfLibrary,
  { page, images, raster }: { page: number; images: readonly PlacedImage[]; raster: Raster },
): boolean {
  return images.slice(0, MOST_PICTURES).some(({ object, isInForm }) => {
    const region = isInForm ? undefined : findRegion(library, page, object, raster);
    if (region === 'outside') return false;
    // A picture that shows something is there; only where it may not be is it decoded once more.
    const mayBeGone = region === undefined || isMostlyOneColour(raster, region);
    return isBroken(library, { page, image: object, mayBeGone });
  });
}

/** The same of pictures that are drawn elsewhere, such as masks. */
export const hasBrokenPicture = (library: PdfLibrary, page: number, images: readonly PlacedImage[]): boolean =>
  images.slice(0, MOST_PICTURES).some(({ object }) => isBroken(library, { page, image: object, mayBeGone: true }));

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
