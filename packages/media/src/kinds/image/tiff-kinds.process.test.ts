import { afterAll, describe, expect, it } from 'vitest';
import { encodePattern } from '../../__fixtures__/images.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { buildTiff, type TiffOptions } from '../../__fixtures__/tiffs.ts';
import { inspectFile } from '../inspect-file.ts';
import { makeVariant } from '../make-variant.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const mimeType = 'image/tiff';

function inspect(content: Uint8Array, maxPixels = 1_000_000) {
  const path = folder.write('file', content);
  return inspectFile({ task: 'inspect', path, sizeBytes: content.length, maxPixels });
}

function makePreview(content: Uint8Array) {
  const [path, outputPath] = [folder.write('source', content), folder.write('variant', '')];
  const recipe = { purpose: 'preview', maxEdgePixels: 8 } as const;
  return makeVariant({ task: 'make-variant', path, outputPath, mimeType, recipe, facts: {}, maxPixels: 1_000_000 });
}

const lacked: [string, TiffOptions][] = [
  ['CIELab', { colours: 8 }],
  ['CIELab of lightness alone', { colours: 8, bits: [16] }],
  ['ICCLab', { colours: 9 }],
  ['the colours of a camera', { colours: 32_803, bits: [16] }],
  ['a mask', { colours: 4, bits: [1] }],
  ['CMYK of two inks', { colours: 5, bits: [8, 8] }],
  ['planes of thinned colours', { colours: 6, isPlanar: true, fields: [[530, [2, 2]]] }],
  ['LZMA', { compression: 34_925 }],
  ['Zstandard', { compression: 50_000 }],
  ['JPEG 2000', { compression: 34_712 }],
  ['JBIG', { compression: 34_661, bits: [1], colours: 0 }],
  ['JPEG of old', { compression: 6 }],
  ['12 bits', { bits: [12, 12, 12] }],
  ['12 bits of grey', { bits: [12], colours: 1 }],
  ['4 bits of each colour', { bits: [4, 4, 4] }],
  ['64 bits', { bits: [64], colours: 1, format: 3 }],
  ['5, 6 and 5 bits', { bits: [5, 6, 5] }],
  ['complex numbers', { bits: [32], colours: 1, format: 5 }],
  ['seven samples', { bits: [8, 8, 8, 8, 8, 8, 8], fields: [[338, [0, 0, 0, 0]]] }],
  ['tiled planes', { isTiled: true, isPlanar: true }],
  ['a prediction of raw images', { bits: [32], colours: 1, format: 3, compression: 8, fields: [[317, [34_894]]] }],
];

describe('a TIFF of a kind that the decoder lacks', () => {
  it.each(lacked)('is ready, and nothing can be made of it: %s [DL-70]', async (_, options) => {
    const tiff = buildTiff(options);
    const facts = { width: 16, height: 16, animated: false, pages: 1 };
    expect(await inspect(tiff)).toMatchObject({ status: 'ready', mimeType, facts, warnings: [] });
    expect(await inspect(buildTiff({ ...options, isBigEndian: true }))).toMatchObject({ status: 'ready', facts });
    const problem = { code: 'attachment_type_unsupported' };
    expect(await makePreview(tiff)).toMatchObject({ status: 'failed', problem });
  });

  it.each(lacked)('is rejected where its pixels are cut off: %s [DL-37]', async (_, options) => {
    const problem = { code: 'attachment_corrupt_image' };
    expect(await inspect(buildTiff(options).subarray(0, -1))).toMatchObject({ status: 'rejected', problem });
    expect(await inspect(buildTiff(options).subarray(0, 90))).toMatchObject({ status: 'rejected', problem });
  });

  it('has the size that its turn gives it, and alpha', async () => {
    const tiff = buildTiff({
      bits: [12, 12],
      colours: 1,
      height: 8,
      fields: [
        [274, [6]],
        [338, [2]],
      ],
    });
    expect(await inspect(tiff)).toMatchObject({ facts: { width: 8, height: 16, hasAlpha: true } });
  });

  it('is refused where it has too many pixels [S16]', async () => {
    const problem = { code: 'attachment_pixels_exceeded', safeDetails: { width: 16, height: 16 } };
    expect(await inspect(buildTiff({ colours: 8 }), 200)).toMatchObject({ status: 'rejected', problem });
  });
});

describe('a TIFF of a kind that the decoder has', () => {
  const decoded: [string, TiffOptions][] = [
    ['RGB', {}],
    ['planes', { isPlanar: true }],
    ['tiles', { isTiled: true }],
    ['CIELab of 16 bits', { colours: 8, bits: [16, 16, 16] }],
    ['CMYK', { colours: 5, bits: [8, 8, 8, 8] }],
    ['floating point', { bits: [32], colours: 1, format: 3 }],
  ];

  it.each(decoded)('is ready whole, and rejected where it is cut off: %s [DL-37]', async (_, options) => {
    expect(await inspect(buildTiff(options))).toMatchObject({ status: 'ready', facts: { width: 16, height: 16 } });
    expect(await makePreview(buildTiff(options))).toMatchObject({ status: 'made' });
    const cut = buildTiff(options).subarray(0, -40);
    expect(await inspect(cut)).toMatchObject({ problem: { code: 'attachment_corrupt_image' } });
  });

  it('is rejected where its pixels are damaged [DL-37]', async () => {
    const problem = { code: 'attachment_corrupt_image' };
    for (const compression of [7, 8, 50_001])
      expect(await inspect(buildTiff({ compression }))).toMatchObject({ status: 'rejected', problem });
    const fields: TiffOptions['fields'] = [[338, [0]]];
    expect(await inspect(buildTiff({ bits: [0, 0, 0], fields }))).toMatchObject({ status: 'rejected', problem });
  });

  it('comes to an outcome wherever it is cut off, and whichever byte is wrong [S17]', async () => {
    const tiff = await encodePattern({ width: 20, height: 20 }, 'tiff');
    for (let length = 8; length < tiff.length; length += 23)
      expect(await inspect(tiff.subarray(0, length))).toMatchObject({ status: 'rejected' });
    for (let index = 4; index < tiff.length; index += 5) {
      const wrong = Buffer.from(tiff);
      wrong[index] = (wrong[index] ?? 0) ^ 0xff;
      expect(['ready', 'rejected']).toContain((await inspect(wrong)).status);
    }
  });
});
