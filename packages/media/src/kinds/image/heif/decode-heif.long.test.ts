import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Recipe } from '@attache/contracts';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { encodePattern } from '../../../__fixtures__/images.ts';
import { createTempFolder } from '../../../__fixtures__/temp-folder.ts';
import { inspectFile } from '../../inspect-file.ts';
import { makeVariant } from '../../make-variant.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const mimeType = 'image/heic';
const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../worker/__fixtures__/${name}`, import.meta.url)));
const turned = fixture('turned.heic');
const transparent = fixture('transparent.heic');

function inspect(content: Uint8Array, maxPixels = 1_000_000) {
  const path = folder.write('file', content);
  return inspectFile({ task: 'inspect', path, sizeBytes: content.length, maxPixels });
}

async function make(content: Uint8Array, recipe: Recipe) {
  const [path, outputPath] = [folder.write('source', content), folder.write('variant', '')];
  const job = { path, outputPath, mimeType, recipe, facts: {}, maxPixels: 1_000_000 };
  return { reply: await makeVariant({ task: 'make-variant', ...job }), outputPath, bytes: readFileSync(outputPath) };
}

const brandOffset = 8;

const inline = (type: 'image/png' | 'image/jpeg', maxEdgePixels = 1568): Recipe => {
  return { purpose: 'inline-image', mimeType: type, maxEdgePixels, maxBytes: 1_000_000 };
};

it('gives width and height of HEIC as it is shown [SR-14 DL-70]', async () => {
  const facts = { width: 32, height: 48, animated: false, hasAlpha: false };
  expect(await inspect(turned)).toEqual({ status: 'ready', mimeType, facts, warnings: [] });
  expect(await inspect(transparent)).toMatchObject({ facts: { width: 48, height: 32, hasAlpha: true } });
});

it('turns HEIC once, though container and EXIF both say so, and drops all metadata [DL-70]', async () => {
  const { reply, outputPath } = await make(turned, inline('image/png'));
  expect(reply).toMatchObject({ status: 'made', mimeType: 'image/png', width: 32, height: 48, scale: 1 });
  expect(reply).toMatchObject({ warnings: [{ code: 'format_converted' }] });
  const { data } = await sharp(outputPath).raw().toBuffer({ resolveWithObject: true });
  const colourAt = (x: number, y: number) => [...data.subarray((y * 32 + x) * 3, (y * 32 + x) * 3 + 3)];
  const [upperLeft, upperRight, lowerLeft] = [colourAt(4, 4), colourAt(27, 4), colourAt(4, 43)];
  expect(upperLeft[2]).toBeGreaterThan(180); // blue
  expect(upperRight[0]).toBeGreaterThan(180); // red
  expect(Math.min(...lowerLeft)).toBeGreaterThan(200); // grey-white
  const { exif, orientation } = await sharp(outputPath).metadata();
  expect([exif, orientation]).toEqual([undefined, undefined]);
});

it('makes smaller forms of HEIC, always the same bytes [DL-85 BX-13 DL-72]', async () => {
  const { reply, bytes } = await make(turned, inline('image/jpeg', 24));
  expect(reply).toMatchObject({ status: 'made', width: 16, height: 24, scale: 0.5 });
  expect((await make(turned, inline('image/jpeg', 24))).bytes).toEqual(bytes);
  const preview = await make(turned, { purpose: 'preview', maxEdgePixels: 24 });
  expect(preview.reply).toMatchObject({ status: 'made', mimeType: 'image/webp', width: 16 });
});

it('keeps the transparency of HEIC [DL-71]', async () => {
  const { outputPath } = await make(transparent, inline('image/png'));
  expect(await sharp(outputPath).metadata()).toMatchObject({ hasAlpha: true });
  const { reply } = await make(transparent, inline('image/jpeg'));
  expect(reply).toMatchObject({ problem: { code: 'attachment_optimization_failed' } });
});

it('rejects HEIC wherever it is cut off [DL-37 S17]', async () => {
  for (let length = 16; length < transparent.length; length += 9) {
    const outcome = await inspect(transparent.subarray(0, length));
    expect(outcome).toMatchObject({ status: 'rejected', mimeType, problem: { code: 'attachment_corrupt_image' } });
  }
});

it('always comes to an outcome, whichever byte of HEIC is wrong [S17]', async () => {
  for (let index = 12; index < turned.length; index += 3) {
    const wrong = Buffer.from(turned);
    wrong[index] = (wrong[index] ?? 0) ^ 0xff;
    const outcome = await inspect(wrong);
    if (outcome.status === 'ready') await make(wrong, inline('image/png'));
    expect(['ready', 'rejected']).toContain(outcome.status);
  }
});

it('refuses HEIC of too many pixels from its header [S16]', async () => {
  expect(await inspect(turned, 1000)).toMatchObject({ problem: { code: 'attachment_pixels_exceeded' } });
});

it('does not believe a header that tells of another size than was coded [S16]', async () => {
  const lying = Buffer.from(turned);
  lying.writeUInt32BE(96, lying.indexOf('ispe') + 8);
  expect(await inspect(lying)).toMatchObject({ problem: { code: 'attachment_corrupt_image' } });
  expect((await make(lying, inline('image/png'))).reply).toMatchObject({
    problem: { code: 'attachment_corrupt_image' },
  });
});

it.each(['mif1', 'heic'])('decodes AVIF that calls itself %s [DL-70]', async (brand) => {
  const avif = await encodePattern({ width: 60, height: 40 }, 'avif');
  avif.write(brand, brandOffset, 'latin1');
  const type = brand === 'heic' ? mimeType : 'image/heif';
  expect(await inspect(avif)).toMatchObject({ status: 'ready', mimeType: type, facts: { width: 60, height: 40 } });
  expect(await inspect(avif.subarray(0, -9))).toMatchObject({ status: 'rejected', mimeType: type });
  expect((await make(avif, inline('image/png'))).reply).toMatchObject({ status: 'made', width: 60 });
});

it('keeps HEIF of a coding that it does not know, with what its header tells [DL-70]', async () => {
  const avif = await encodePattern({ width: 60, height: 40 }, 'avif');
  avif.write('mif1', brandOffset, 'latin1');
  // Looks like HEVC to us, which it is not.
  const heif = Buffer.concat([avif, Buffer.from('\0\0\0\x0cfreehvcC', 'latin1')]);
  expect(await inspect(heif)).toMatchObject({ status: 'ready', mimeType: 'image/heif', facts: { width: 60 } });
  const { reply } = await make(heif, inline('image/png'));
  expect(reply).toMatchObject({ status: 'failed', problem: { code: 'attachment_type_unsupported' } });
});
