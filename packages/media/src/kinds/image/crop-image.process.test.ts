import type { Crop } from '@attache/contracts';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { drawPattern } from '../../__fixtures__/images.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { makeVariant } from '../make-variant.ts';

const folder = createTempFolder();
afterAll(folder.remove);

async function crop(content: Buffer, part: Crop, { mimeType = 'image/png', maxEdgePixels = 240 } = {}) {
  const [path, outputPath] = [folder.write('source', content), folder.write('variant', '')];
  const recipe = { purpose: 'inline-image', mimeType: 'image/png', maxEdgePixels, maxBytes: 9e6, crop: part } as const;
  const task = { task: 'make-variant', path, outputPath, mimeType, recipe, facts: {}, maxPixels: 1e7 } as const;
  return { reply: await makeVariant(task), outputPath };
}

const pixelsOf = (path: string) => sharp(path).raw().toBuffer();

describe('a part of an image', () => {
  it('is exactly that part, and its scale is one where it fits [BX-13]', async () => {
    const content = await drawPattern({ width: 480, height: 300 }).png().toBuffer();
    const { reply, outputPath } = await crop(content, { x: 100, y: 50, width: 200, height: 120 });
    expect(reply).toMatchObject({ status: 'made', width: 200, height: 120, scale: 1, warnings: [] });
    const part = { left: 100, top: 50, width: 200, height: 120 };
    const expected = await drawPattern({ width: 480, height: 300 }).extract(part).raw().toBuffer();
    expect(await pixelsOf(outputPath)).toEqual(expected);
  });

  it('is scaled by its own size, not by that of the image [BX-13]', async () => {
    const content = await drawPattern({ width: 480, height: 300 }).png().toBuffer();
    const { reply } = await crop(content, { x: 0, y: 0, width: 400, height: 200 }, { maxEdgePixels: 100 });
    expect(reply).toMatchObject({ width: 100, height: 50, scale: 0.25, warnings: [{ code: 'image_resized' }] });
  });

  it('is of the image as it is shown, after its EXIF orientation [BX-13]', async () => {
    const stored = drawPattern({ width: 200, height: 100 }).withMetadata({ orientation: 6 });
    const content = await stored.png().toBuffer();
    const { reply, outputPath } = await crop(content, { x: 10, y: 120, width: 60, height: 70 });
    expect(reply).toMatchObject({ status: 'made', width: 60, height: 70, scale: 1 });
    const part = { left: 10, top: 120, width: 60, height: 70 };
    const turned = drawPattern({ width: 200, height: 100 }).rotate(90).extract(part);
    expect(await pixelsOf(outputPath)).toEqual(await turned.raw().toBuffer());
  });

  it.each([
    { x: -1, y: 0, width: 10, height: 10 },
    { x: 0, y: 0, width: 101, height: 10 },
    { x: 95, y: 0, width: 10, height: 10 },
    { x: 0, y: 60, width: 10, height: 1 },
    { x: 0, y: 0, width: 0, height: 10 },
  ])('that does not lie within it is refused: %o', async (part) => {
    const content = await drawPattern({ width: 100, height: 60 }).png().toBuffer();
    expect((await crop(content, part)).reply).toMatchObject({
      status: 'failed',
      problem: { code: 'attachment_optimization_failed' },
    });
  });
});
