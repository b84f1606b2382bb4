import { expect, it } from 'vitest';
import { drawPattern } from '../../__fixtures__/images.ts';
import { fitImage } from './fit-image.ts';
import { openRaster, type Raster } from './raster.ts';

async function draw(width: number, height: number): Promise<Raster> {
  return { pixels: await drawPattern({ width, height }).raw().toBuffer(), width, height, channels: 3 };
}

function encode(raster: Raster, quality: number): Promise<Buffer> {
  return openRaster(raster).jpeg({ quality, chromaSubsampling: '4:2:0' }).toBuffer();
}

it('lowers the quality of a JPEG to 60 and no further; then it is made smaller [DL-85]', async () => {
  const raster = await draw(500, 400);
  const floor = await encode(raster, 60);
  expect((await fitImage(raster, 'image/jpeg', floor.length))?.bytes).toEqual(floor);
  const smaller = await fitImage(raster, 'image/jpeg', floor.length - 1);
  expect(smaller?.width).toBeLessThan(500);
  expect(smaller?.bytes.length).toBeLessThan(floor.length);
});

it('makes nothing smaller than 320 pixels [DL-85]', async () => {
  const raster = await draw(500, 400);
  const resized = openRaster(raster).resize(320, 320, { fit: 'inside' });
  const { data, info } = await resized.raw().toBuffer({ resolveWithObject: true });
  const least = await encode({ pixels: data, width: info.width, height: info.height, channels: 3 }, 60);
  expect((await fitImage(raster, 'image/jpeg', least.length))?.width).toBe(320);
  expect(await fitImage(raster, 'image/jpeg', least.length - 1)).toBeUndefined();
  expect(await fitImage(await draw(200, 100), 'image/png', 100)).toBeUndefined();
});

it('keeps a PNG a PNG, without loss [DL-71 DL-85]', async () => {
  const raster = await draw(400, 300);
  const whole = await fitImage(raster, 'image/png', 10_000_000);
  expect(await openRaster(raster).png().toBuffer()).toEqual(whole?.bytes);
  const smaller = await fitImage(raster, 'image/png', (whole?.bytes.length ?? 0) - 1);
  expect(smaller?.bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(smaller?.width).toBeLessThan(400);
});
