import { sharp } from './decoder.ts';

/** Decoded pixels, 8 bits a channel, in sRGB or grey. */
export type Raster = { pixels: Buffer; width: number; height: number; channels: 1 | 2 | 3 | 4 };

/** The image decoder's pipeline that starts with these pixels. */
export function openRaster({ pixels, width, height, channels }: Raster): ReturnType<typeof sharp> {
  return sharp(pixels, { raw: { width, height, channels } });
}
