import type { Raster } from '../../image/raster.ts';

/** In pixels of a raster; the right and lower edge are outside. */
export type Region = { left: number; top: number; right: number; bottom: number };

/** `share`: how much of a region is one colour from one of its sides on; 1 where all of it is. */
export type EvenSide = { share: number; isWhite: boolean };

/** The side of a region from which on most of it is one colour. */
export function findEvenSide(raster: Raster, { left, top, right, bottom }: Region): EvenSide {
  const [width, height] = [right - left, bottom - top];
  const row = (y: number) => readRow(raster, y, left, right);
  const column = (x: number) => readColumn(raster, x, top, bottom);
  const sides = [countEven(height, (step) => row(top + step)), countEven(height, (step) => row(bottom - 1 - step))];
  if (sides.every(({ share }) => share < 1))
    sides.push(
      countEven(width, (step) => column(left + step)),
      countEven(width, (step) => column(right - 1 - step)),
    );
  return sides.reduce((most, side) => (side.share > most.share ? side : most));
}

/** Whether all of a drawing has one colour. */
export const isOneColour = ({ pixels, channels }: Raster): boolean =>
  pixels.subarray(channels).equals(pixels.subarray(0, -channels));

/** The colour of a line that has only one. */
type Line = number | undefined;

const WHITE = 0xff_ff_ff;

/** Lines from a side on that are of one and the same colour. */
function countEven(count: number, colourOf: (step: number) => Line): EvenSide {
  const first = colourOf(0);
  let even = first === undefined ? 0 : 1;
  while (first !== undefined && even < count && colourOf(even) === first) even += 1;
  return { share: even / count, isWhite: first === WHITE };
}

const COLOUR_BYTES = 3;

function readRow({ pixels, width, channels }: Raster, y: number, left: number, right: number): Line {
  const line = pixels.subarray((y * width + left) * channels, (y * width + right) * channels);
  return line.subarray(channels).equals(line.subarray(0, -channels)) ? line.readUIntBE(0, COLOUR_BYTES) : undefined;
}

function readColumn({ pixels, width, channels }: Raster, x: number, top: number, bottom: number): Line {
  const at = (y: number) => pixels.readUIntBE((y * width + x) * channels, COLOUR_BYTES);
  const first = at(top);
  for (let y = top + 1; y < bottom; y += 1) if (at(y) !== first) return undefined;
  return first;
}
