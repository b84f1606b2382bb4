import { readFileSync } from 'node:fs';
import type { Recipe } from '@attache/contracts';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { buildEncryptedPdf } from '../../__fixtures__/encrypted-pdfs.ts';
import { buildPdf, buildPdfOf, buildPdfWithoutFont, buildStream } from '../../__fixtures__/pdfs.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { inspectFile } from '../inspect-file.ts';
import { makeVariant } from '../make-variant.ts';
import { pdfReader } from './pdf-library.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const mimeType = 'application/pdf';

async function make(content: Uint8Array, recipe: Recipe) {
  const [path, outputPath] = [folder.write('source', content), folder.write('variant', '')];
  const job = { path, outputPath, mimeType, recipe, facts: {}, maxPixels: 1_000_000 };
  const reply = await makeVariant({ task: 'make-variant', ...job });
  return { reply, outputPath, bytes: readFileSync(outputPath) };
}

const asImage = (recipe: Partial<Extract<Recipe, { purpose: 'page-image' }>> = {}): Recipe => {
  return { purpose: 'page-image', page: 1, mimeType: 'image/png', maxEdgePixels: 396, maxBytes: 1_000_000, ...recipe };
};

describe('page-image', () => {
  const pdf = buildPdf([['First'], ['Second page', 'with more on it']]);

  it('draws one page on white and tells its scale [SR-14 BX-13]', async () => {
    const { reply, outputPath } = await make(pdf, asImage({ page: 2 }));
    expect(reply).toMatchObject({
      status: 'made',
      mimeType: 'image/png',
      page: 2,
      width: 306,
      height: 396,
      scale: 0.5,
    });
    expect(await sharp(outputPath).metadata()).toMatchObject({ format: 'png', hasAlpha: false, width: 306 });
    const { data, info } = await sharp(outputPath).raw().toBuffer({ resolveWithObject: true });
    expect([...data.subarray(0, 3)]).toEqual([255, 255, 255]);
    const text = await sharp(outputPath).extract({ left: 18, top: 30, width: 60, height: 20 }).stats();
    expect(text.channels[0]?.min).toBeLessThan(100);
    expect(info.channels).toBe(3);
  });

  it('draws a page of a PDF behind the header of a mail as without it [SR-14]', async () => {
    const mailed = Buffer.concat([Buffer.from('Content-Type: application/pdf\r\n\r\n'), pdf]);
    const [drawn, expected] = [await make(mailed, asImage({ page: 2 })), await make(pdf, asImage({ page: 2 }))];
    expect(drawn.bytes).toEqual(expected.bytes);
    const text = { purpose: 'document-text', maxBytes: 10_000 } as const;
    expect((await make(mailed, text)).bytes).toEqual((await make(pdf, text)).bytes);
  });

  it('draws a page of a PDF that encrypts its streams alone as of one that is not encrypted', async () => {
    const rewrite = (dictionary: string) => dictionary.replace('/StrF/StdCF', '/StrF/Identity');
    const [encrypted, plain] = [buildEncryptedPdf('AES R4', 'x', { rewrite }), buildEncryptedPdf('none R4', 'x')];
    expect((await make(encrypted, asImage())).bytes).toEqual((await make(plain, asImage())).bytes);
  });

  it('draws larger than a point is, up to 288 pixels per inch [DL-85]', async () => {
    const small = buildPdf([['x']], { size: [100, 50] });
    expect((await make(small, asImage({ maxEdgePixels: 200 }))).reply).toMatchObject({
      width: 200,
      height: 100,
      scale: 2,
    });
    expect((await make(small, asImage({ maxEdgePixels: 9000 }))).reply).toMatchObject({
      width: 400,
      height: 200,
      scale: 4,
    });
  });

  it('shows a turned page as readers do', async () => {
    const turned = buildPdf([['x']], { size: [100, 50], entries: '/Rotate 90' });
    expect((await make(turned, asImage({ maxEdgePixels: 200 }))).reply).toMatchObject({ width: 100, height: 200 });
  });

  it.each([
    [14_400, 1],
    [1_000_000, 1_000_000],
    [0.001, 0.001],
  ])('is bounded by its edge for a page of %d × %d points [S16]', async (width, height) => {
    const { reply } = await make(buildPdf([['x']], { size: [width, height] }), asImage());
    expect(reply).toMatchObject({ status: 'made' });
    expect(reply.status === 'made' && Math.max(reply.width ?? 0, reply.height ?? 0)).toBeLessThanOrEqual(396);
  });

  it('keeps within its bytes, or fails [DL-85]', async () => {
    const page = Array.from({ length: 50 }, (_, line) => `Line ${line} of a page that is full of words`);
    const recipe = asImage({ mimeType: 'image/jpeg', maxEdgePixels: 1568 });
    const best = (await make(buildPdf([page]), recipe)).reply;
    const maxBytes = best.status === 'made' ? Math.floor(best.sizeBytes / 2) : 0;
    const lower = (await make(buildPdf([page]), { ...recipe, maxBytes } as Recipe)).reply;
    expect(lower.status === 'made' && lower.sizeBytes <= maxBytes).toBe(true);
    expect((await make(buildPdf([page]), { ...recipe, maxBytes: 300 } as Recipe)).reply).toMatchObject({
      problem: { code: 'attachment_too_large_optimized' },
    });
  });

  it('gives the same bytes for the same file and recipe [DL-72]', async () => {
    expect((await make(pdf, asImage())).bytes).toEqual((await make(pdf, asImage())).bytes);
  });

  it('shows text whose font the document does not hold, and leaves a page blank that is', async () => {
    const darkest = async (pdf: Buffer) => {
      const { outputPath } = await make(pdf, asImage());
      return (await sharp(outputPath).stats()).channels[0]?.min;
    };
    expect(await darkest(buildPdfWithoutFont('identity', 'Номерполиса'))).toBeLessThan(100);
    expect(await darkest(buildPdf([[]]))).toBe(255);
  });

  it('leaves nothing behind in the memory of the reader [S16]', async () => {
    const withoutFont = buildPdfWithoutFont('identity', 'Номер רקם');
    for (let round = 0; round < 3; round += 1) for (const each of [pdf, withoutFont]) await make(each, asImage());
    const before = (await pdfReader.load()).library.pdfium.HEAPU8.length;
    for (let round = 0; round < 100; round += 1) {
      await make(pdf, asImage({ maxEdgePixels: 792, page: 1 + (round % 4) }));
      await make(pdf.subarray(0, 300 + round), { purpose: 'document-text', maxBytes: 1000 });
      await make(withoutFont, asImage());
    }
    expect((await pdfReader.load()).library.pdfium.HEAPU8.length).toBe(before);
  });

  it('fails for a page that is not there, a broken file and another type', async () => {
    const corrupt = { status: 'failed', problem: { code: 'attachment_corrupt' } };
    expect((await make(pdf, asImage({ page: 3 }))).reply).toMatchObject(corrupt);
    expect((await make(pdf.subarray(0, 300), asImage())).reply).toMatchObject(corrupt);
    const job = { path: folder.write('text', 'x'), outputPath: folder.write('variant', ''), facts: {}, maxPixels: 9 };
    const other = await makeVariant({ task: 'make-variant', mimeType: 'text/plain', recipe: asImage(), ...job });
    expect(other).toMatchObject({ problem: { code: 'attachment_type_unsupported' } });
  });
});

describe('document-text', () => {
  const recipe = { purpose: 'document-text', maxBytes: 10_000 } as const;

  it('writes each page under its number, as many bytes as inspection said [SR-14 DL-72]', async () => {
    const pdf = buildPdf([['One', 'Two'], [], ['\u00dcber \u20ac'.replace('\u20ac', '\x80')]]);
    const { reply, bytes } = await make(pdf, recipe);
    expect(bytes.toString()).toBe('--- page 1 ---\nOne\nTwo\n--- page 2 ---\n--- page 3 ---\nÜber €\n');
    const warnings = [{ code: 'text_extracted' }];
    expect(reply).toMatchObject({ status: 'made', mimeType: 'text/plain', sizeBytes: bytes.length, warnings });
    const task = { path: folder.pathOf('source'), sizeBytes: pdf.length, maxPixels: 9 };
    expect(await inspectFile({ task: 'inspect', ...task })).toMatchObject({ facts: { textBytes: bytes.length } });
    expect((await make(pdf, recipe)).bytes).toEqual(bytes);
  });

  it('refuses instead of cutting, and refuses a document without text', async () => {
    const tooLong = await make(buildPdf([['x'.repeat(80)]]), { ...recipe, maxBytes: 90 });
    expect(tooLong.reply).toMatchObject({
      problem: { code: 'attachment_too_large_optimized', safeDetails: { maxBytes: 90 } },
    });
    const scan = await make(buildPdf([[], []]), recipe);
    expect(scan.reply).toMatchObject({ problem: { code: 'attachment_optimization_failed' } });
  });
});

describe('the fields of a form', () => {
  const look = buildStream(
    'BT /F1 12 Tf 2 5 Td (Filled in) Tj ET',
    `/Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F1 6 0 R>>>>`,
  );
  const form = buildPdfOf([
    '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DR<</Font<</F1 6 0 R>>>>>>>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Annots[4 0 R]>>',
    '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Filled in)/Rect[10 10 110 30]/P 3 0 R/F 4/AP<</N 5 0 R>>>>',
    look,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]);

  it('are drawn, and part of the text', async () => {
    const { outputPath } = await make(form, asImage());
    expect((await sharp(outputPath).stats()).channels[0]?.min).toBeLessThan(100);
    const { bytes } = await make(form, { purpose: 'document-text', maxBytes: 1000 });
    expect(bytes.toString()).toBe('--- page 1 ---\nFilled in\n');
  });
});
