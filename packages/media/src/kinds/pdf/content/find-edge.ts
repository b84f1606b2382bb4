import type { Raster } from '../../image/raster.ts';

/** In pixels of a raster; the right and lower edge are outside. */
export type Region = { left: number; top: number; right: number; bottom: number };

/** How much of a region is one colour from one of its sides on, as a share: 1 where all of it is. */
export function measureEvenSide(raster: Raster, region: Region): number {
  const { left, top, right, bottom } = region;
  const [width, height] = [right - left, bottom - top];
  const row = (y: number) => isEven(raster, { ...region, top: y, bottom: y + 1 });
  const column = (x: number) => isEven(raster, { ...region, left: x, right: x + 1 });
  const rows = Math.max(
    countEven(height, (step) => row(top + step)),
    countEven(height, (step) => row(bottom - 1 - step)),
  );
  if (rows === height) return 1;
  const columns = Math.max(
    countEven(width, (step) => column(left + step)),
    countEven(width, (step) => column(right - 1 - step)),
  );
  return Math.max(rows / height, columns / width);
}

type Line = number | undefined;

/** Lines from a side on that are of one and the same colour. */
function countEven(count: number, colourOf: (step: number) => Line): number {
  const first = colourOf(0);
  if (first === undefined) return 0;
  let even = 1;
  while (even < count && colourOf(even) === first) even += 1;
  return even;
}

/** The colour of a region that has only one. */
function isEven({ pixels, width, channels }: Raster, { left, top, right, bottom }: Region): Line {
  const at = (x: number, y: number) => pixels.readUIntBE((y * width + x) * channels, 3);
  const first = at(left, top);
  for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) if (at(x, y) !== first) return undefined;
  return first;
}
