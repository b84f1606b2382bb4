import type { Raster } from '../../image/raster.ts';

/** In pixels of a raster; the right and lower edge are outside. */
export type Region = { left: number; top: number; right: number; bottom: number };

/** How much of a region is one colour from one of its sides on, as a share: 1 where all of it is. */
export function measureEvenSide(raster: Raster, { left, top, right, bottom }: Region): number {
  const [width, height] = [right - left, bottom - top];
  const row = (y: number) => readRow(raster, y, left, right);
  const column = (x: number) => readColumn(raster, x, top, bottom);
  const rows = countFrom(
    height,
    (step) => row(top + step),
    (step) => row(bottom - 1 - step),
  );
  if (rows === height) return 1;
  return Math.max(
    rows / height,
    countFrom(
      width,
      (step) => column(left + step),
      (step) => column(right - 1 - step),
    ) / width,
  );
}

/** Whether all of a drawing has one colour. */
export const isOneColour = ({ pixels, channels }: Raster): boolean =>
  pixels.subarray(channels).equals(pixels.subarray(0, -channels));

/** The colour of a line that has only one. */
type Line = number | undefined;

const countFrom = (count: number, ...sides: ((step: number) => Line)[]): number =>
  Math.max(...sides.map((colourOf) => countEven(count, colourOf)));

/** Lines from a side on that are of one and the same colour. */
function countEven(count: number, colourOf: (step: number) => Line): number {
  const first = colourOf(0);
  if (first === undefined) return 0;
  let even = 1;
  while (even < count && colourOf(even) === first) even += 1;
  return even;
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
