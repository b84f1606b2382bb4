import type { Raster } from '../../image/raster.ts';

/** In pixels of a raster; the right and lower edge are outside. */
export type Region = { left: number; top: number; right: number; bottom: number };

/** Whether all of a drawing has one colour. */
export const isOneColour = ({ pixels, channels }: Raster): boolean =>
  pixels.subarray(channels).equals(pixels.subarray(0, -channels));

const COLOUR_BYTES = 3;
/** Places along each side of a region that are looked at. */
const PLACES = 64;
const MOSTLY = 0.4;

/** Whether much of a region has one colour, as where a picture is missing that has lines over it or is turned. */
export function isMostlyOneColour({ pixels, width, channels }: Raster, region: Region): boolean {
  const { left, top, right, bottom } = region;
  const counts = new Map<number, number>();
  for (let row = 0; row < PLACES; row += 1)
    for (let column = 0; column < PLACES; column += 1) {
      const x = left + Math.floor(((right - left) * column) / PLACES);
      const y = top + Math.floor(((bottom - top) * row) / PLACES);
      const colour = pixels.readUIntBE((y * width + x) * channels, COLOUR_BYTES);
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  return Math.max(...counts.values()) >= PLACES * PLACES * MOSTLY;
}
