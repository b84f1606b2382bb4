import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AttachmentFacts, Recipe } from '@attache/contracts';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { buildPngHeader, drawAnimation, drawPattern } from '../__fixtures__/images.ts';
import { createTempFolder } from '../__fixtures__/temp-folder.ts';
import { makeVariant } from './make-variant.ts';

const folder = createTempFolder();
afterAll(folder.remove);

type Job = {
  content: string | Uint8Array;
  mimeType: string;
  recipe: Recipe;
  facts?: AttachmentFacts;
  maxPixels?: number;
};

async function make({ content, mimeType, recipe, facts = {}, maxPixels = 10_000_000 }: Job) {
  const [path, outputPath] = [folder.write('source', content), folder.write('variant', '')];
  const reply = await makeVariant({ task: 'make-variant', path, outputPath, mimeType, recipe, facts, maxPixels });
  return { reply, outputPath, bytes: readFileSync(outputPath) };
}

const inline = (recipe: Partial<Extract<Recipe, { purpose: 'inline-image' }>> = {}): Recipe => {
  return { purpose: 'inline-image', mimeType: 'image/png', maxEdgePixels: 240, maxBytes: 1_000_000, ...recipe };
};

describe('inline-image', () => {
  it('fits the edge, tells its scale, and measures what it wrote [DL-85 DL-16 BX-13]', async () => {
    const content = await drawPattern({ width: 480, height: 300 }).png().toBuffer();
    const { reply, bytes, outputPath } = await make({ content, mimeType: 'image/png', recipe: inline() });
    expect(reply).toMatchObject({ status: 'made', mimeType: 'image/png', width: 240, height: 150, scale: 0.5 });
    expect(reply).toMatchObject({ sizeBytes: bytes.length, warnings: [{ code: 'image_resized' }] });
    expect(reply).toMatchObject({ sha256: createHash('sha256').update(bytes).digest('hex') });
    expect(await sharp(outputPath).metadata()).toMatchObject({ format: 'png', width: 240, height: 150 });
  });

  it('never enlarges [DL-85]', async () => {
    const content = await drawPattern({ width: 40, height: 30 }).png().toBuffer();
    const { reply } = await make({ content, mimeType: 'image/png', recipe: inline() });
    expect(reply).toMatchObject({ width: 40, height: 30, scale: 1, warnings: [] });
  });

  it('gives the same bytes for the same file and recipe [DL-72 DL-07]', async () => {
    const content = await drawPattern({ width: 300, height: 300 }).png().toBuffer();
    const job = { content, mimeType: 'image/png', recipe: inline({ mimeType: 'image/jpeg' }) };
    expect((await make(job)).bytes).toEqual((await make(job)).bytes);
  });

  it('applies the EXIF orientation and drops all metadata', async () => {
    const image = drawPattern({ width: 200, height: 100 }).withExif({ IFD0: { Artist: 'somebody' } });
    const content = await image.withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { outputPath } = await make({ content, mimeType: 'image/jpeg', recipe: inline({ mimeType: 'image/jpeg' }) });
    const metadata = await sharp(outputPath).metadata();
    expect(metadata).toMatchObject({ width: 100, height: 200 });
    expect([metadata.exif, metadata.orientation, metadata.icc]).toEqual([undefined, undefined, undefined]);
  });

  it('keeps alpha in a PNG and never flattens it into a JPEG [DL-71]', async () => {
    const content = await drawPattern({ width: 100, height: 100 }, 4).png().toBuffer();
    const { outputPath } = await make({ content, mimeType: 'image/png', recipe: inline() });
    expect(await sharp(outputPath).metadata()).toMatchObject({ hasAlpha: true });
    const { reply } = await make({ content, mimeType: 'image/png', recipe: inline({ mimeType: 'image/jpeg' }) });
    expect(reply).toMatchObject({ status: 'failed', problem: { code: 'attachment_optimization_failed' } });
  });

  it('drops an alpha channel that hides nothing', async () => {
    const content = await drawPattern({ width: 100, height: 100 }).ensureAlpha().png().toBuffer();
    const { reply } = await make({ content, mimeType: 'image/png', recipe: inline({ mimeType: 'image/jpeg' }) });
    expect(reply).toMatchObject({ status: 'made', mimeType: 'image/jpeg', warnings: [{ code: 'format_converted' }] });
  });

  it('lowers quality, then size, until it fits [DL-85]', async () => {
    const content = await drawPattern({ width: 500, height: 500 }).png().toBuffer();
    const recipe = inline({ mimeType: 'image/jpeg', maxEdgePixels: 500 });
    const sizeWithin = async (maxBytes: number) =>
      (await make({ content, mimeType: 'image/png', recipe: { ...recipe, maxBytes } as Recipe })).reply;
    const best = await sizeWithin(1_000_000);
    const bestBytes = best.status === 'made' ? best.sizeBytes : 0;
    const lower = await sizeWithin(bestBytes - 1);
    expect(lower).toMatchObject({ status: 'made', width: 500 });
    const smaller = await sizeWithin(Math.floor(bestBytes / 3));
    expect(smaller.status === 'made' && smaller.sizeBytes <= bestBytes / 3 && (smaller.width ?? 0) < 500).toBe(true);
    expect(await sizeWithin(500)).toMatchObject({
      status: 'failed',
      problem: { code: 'attachment_too_large_optimized', safeDetails: { maxBytes: 500 } },
    });
  });

  it('takes the first frame of a moving image and says so', async () => {
    const content = await drawAnimation({ width: 60, height: 40 }, 3);
    const { reply } = await make({
      content,
      mimeType: 'image/gif',
      recipe: inline(),
      facts: { animated: true, frames: 3 },
    });
    const warnings = [{ code: 'format_converted' }, { code: 'animated_first_frame_only' }];
    expect(reply).toMatchObject({ status: 'made', width: 60, height: 40, warnings });
  });

  it('fails on a damaged, an oversized and an undecodable image', async () => {
    const cut = (await drawPattern({ width: 200, height: 200 }).jpeg().toBuffer()).subarray(0, -200);
    const bomb = buildPngHeader({ width: 50_000, height: 50_000 });
    const codeOf = async (job: Job) => (await make(job)).reply;
    expect(await codeOf({ content: cut, mimeType: 'image/jpeg', recipe: inline() })).toMatchObject({
      problem: { code: 'attachment_corrupt_image' },
    });
    expect(await codeOf({ content: bomb, mimeType: 'image/png', recipe: inline() })).toMatchObject({
      problem: { code: 'attachment_pixels_exceeded' },
    });
    expect(await codeOf({ content: 'x', mimeType: 'image/bmp', recipe: inline() })).toMatchObject({
      problem: { code: 'attachment_type_unsupported' },
    });
  });
});

it('makes a small WebP for people, with alpha', async () => {
  const content = await drawPattern({ width: 300, height: 200 }, 4).png().toBuffer();
  const { reply, outputPath } = await make({
    content,
    mimeType: 'image/png',
    recipe: { purpose: 'preview', maxEdgePixels: 64 },
  });
  expect(reply).toMatchObject({ status: 'made', mimeType: 'image/webp', width: 64, height: 43 });
  expect(await sharp(outputPath).metadata()).toMatchObject({ format: 'webp', width: 64, hasAlpha: true });
});

describe('decoded-text', () => {
  const recipe = { purpose: 'decoded-text', encoding: 'utf-16le', maxBytes: 1000 } as const;
  const mimeType = 'text/plain';

  it('writes the text as UTF-8 without its mark [RP-05]', async () => {
    const content = Buffer.from('\ufeffZażółć gęślą jaźń', 'utf16le');
    const { reply, bytes } = await make({ content, mimeType, recipe });
    expect(bytes.toString()).toBe('Zażółć gęślą jaźń');
    expect(reply).toMatchObject({
      status: 'made',
      mimeType,
      sizeBytes: bytes.length,
      warnings: [{ code: 'text_decoded' }],
    });
  });

  it('keeps its type, but where a browser would run it', async () => {
    const content = Buffer.from('\ufeffa;b\n', 'utf16le');
    expect((await make({ content, mimeType: 'text/csv', recipe })).reply).toMatchObject({ mimeType: 'text/csv' });
    expect((await make({ content, mimeType: 'text/html', recipe })).reply).toMatchObject({ mimeType: 'text/plain' });
  });

  it('leaves out the files in it, and says so', async () => {
    const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(300, 7)]);
    const notebook = JSON.stringify({ source: 'show()', data: { 'image/png': picture.toString('base64') } });
    const { reply, bytes } = await make({
      content: Buffer.from(notebook),
      mimeType: 'application/json',
      recipe: { ...recipe, encoding: 'utf-8', withoutMedia: true },
    });
    expect(bytes.toString()).toBe('{"source":"show()","data":{"image/png":"[image/png of 316 bytes, left out]"}}');
    expect(reply).toMatchObject({ warnings: [{ code: 'text_media_left_out' }] });
  });

  it('decodes the upper half of windows-1252 as the standard says', async () => {
    const { bytes } = await make({
      content: Buffer.from([0x80, 0x93, 0xe4, 0x94]),
      mimeType,
      recipe: { ...recipe, encoding: 'windows-1252' },
    });
    expect(bytes.toString()).toBe('€“ä”');
  });

  it('refuses instead of cutting, and replaces bytes that are no text', async () => {
    const tooLong = await make({ content: Buffer.from('é'.repeat(501), 'utf16le'), mimeType, recipe });
    expect(tooLong.reply).toMatchObject({ problem: { code: 'attachment_too_large_optimized' } });
    const broken = await make({ content: Buffer.from([0xff]), mimeType, recipe: { ...recipe, encoding: 'utf-8' } });
    const message = '1 place that is no text replaced by U+FFFD.';
    expect(broken.reply).toMatchObject({ status: 'made', warnings: [{ code: 'text_decoded', message }] });
    const unknown = await make({ content: 'x', mimeType, recipe: { ...recipe, encoding: 'klingon' } });
    expect(unknown.reply).toMatchObject({ problem: { code: 'attachment_optimization_failed' } });
  });
});
