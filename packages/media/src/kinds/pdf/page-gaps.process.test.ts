import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import type { PageGap } from '@attache/contracts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  buildPdfAround,
  buildPdfWithAnnotation,
  buildPdfWithFontFile,
  buildPdfWithNames,
  buildPdfWithoutMeaning,
  buildPdfWithPicture,
  makeJpeg,
  margins,
  noise,
  packNoise,
  SIDE,
} from '../../__fixtures__/gapped-pdfs.ts';
import { createPdfTools } from '../../__fixtures__/pdf-pages/draw-pages.ts';
import { makeFax } from '../../__fixtures__/pdf-pages/make-fax.ts';
import { buildPdfWithoutFont, buildStream } from '../../__fixtures__/pdfs.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { makeVariant } from '../make-variant.ts';

const folder = createTempFolder();
afterAll(folder.remove);
let jpeg: Buffer;
let scan: Buffer;
let progressive: Buffer;
const fourBits = Buffer.from(
  Array.from({ length: margins.length / 6 }, (_, index) => (margins[index * 6] === 255 ? 0xff : 0x36)),
);
beforeAll(async () => {
  jpeg = await makeJpeg();
  scan = await makeJpeg(margins);
  const raw = { width: SIDE, height: SIDE, channels: 3 } as const;
  progressive = await sharp(noise, { raw }).jpeg({ progressive: true }).toBuffer();
});

const { inspect, knownGaps, draw } = createPdfTools(folder);

const incomplete = (lacks: string) => [
  { code: 'page_incomplete', pages: [2], message: expect.stringContaining(lacks) },
];

describe('words that no font draws', () => {
  it('are known before they are drawn, and named where others are shown [BX-29]', async () => {
    const thai = buildPdfWithNames(['uni0E01', 'uni0E02'], 'Policy 48213');
    expect(await knownGaps(thai)).toEqual([{ page: 2, lacks: 'words' }]);
    expect(await draw(thai)).toMatchObject({ warnings: incomplete('words') });
    expect(await draw(thai, 1)).toMatchObject({ warnings: [] });
  });

  it('make the page unreadable where nothing else is on it [BX-29]', async () => {
    expect(await draw(buildPdfWithNames(['uni0E01', 'uni0E02']))).toEqual({ code: 'attachment_page_unreadable' });
  });

  it('are those whose glyphs are numbers without a meaning, too [BX-29]', async () => {
    const pdf = buildPdfWithoutMeaning();
    expect(await knownGaps(pdf)).toEqual([{ page: 2, lacks: 'unmapped' }]);
    expect(await draw(pdf)).toMatchObject({ warnings: incomplete('which letters') });
  });

  it('are none where a font of ours has them, signs of no script too', async () => {
    const pdf = buildPdfWithNames(['afii61352', 'uni2116', 'uni0416']);
    expect(await knownGaps(pdf)).toBeUndefined();
    expect(await draw(pdf)).toMatchObject({ warnings: [], darkest: expect.any(Number) });
  });
});

type Made = () => Parameters<typeof buildPdfWithPicture>[0];
const bilevel = { bits: 1 } as const;
const cut = (data: Buffer, share: number): Buffer => data.subarray(0, data.length * share);
const cutJpeg = (share: number) => ({ data: cut(jpeg, share), coding: 'DCTDecode' });
const cutPacked = () => ({ data: cut(packNoise(), 0.5), coding: 'FlateDecode' });
const faxOf = (colours: string) =>
  ({
    coding: 'CCITTFaxDecode',
    bits: 1,
    entries: `/DecodeParms<</K -1/Columns ${SIDE}/Rows ${SIDE}>>${colours}`,
  }) as const;
const fax = faxOf('');
const reversed = faxOf('/Decode[1 0]');
const twoInks = {
  entries: '/ColorSpace[/DeviceN[/A/B]/DeviceRGB 12 0 R]',
  mask: buildStream('{pop dup dup}', '/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]'),
};
const TURNED = '150 90 -90 150 130 40';
const LINES = [0, 50, 100, 150].map((x) => `0 0 1 RG 3 w ${x} 60 m ${x + 150} 300 l S`).join(' ');

describe('a picture that cannot be drawn', () => {
  it.each<[string, Made, PageGap['lacks'] | undefined]>([
    ['of a coding that nobody knows', () => ({ data: packNoise(), coding: 'FooDecode' }), 'pictures'],
    ['without data', () => ({ data: Buffer.alloc(0), coding: 'FlateDecode' }), 'pictures'],
    ['of a JPEG without data', () => ({ data: Buffer.alloc(0), coding: 'DCTDecode' }), undefined],
    ['of a JPEG that ends in its header', () => ({ data: jpeg.subarray(0, 300), coding: 'DCTDecode' }), undefined],
    ['of JPEG 2000 that is none', () => ({ data: Buffer.from('no such picture'), coding: 'JPXDecode' }), undefined],
    [
      'of JBIG2 that is none',
      () => ({ data: Buffer.alloc(2_000, 'no picture'), coding: 'JBIG2Decode', ...bilevel }),
      undefined,
    ],
  ])('is named, and alone makes the page unreadable: %s [BX-29]', async (_, make, known) => {
    const beside = buildPdfWithPicture(make());
    expect(await knownGaps(beside)).toEqual(known && [{ page: 2, lacks: known }]);
    expect(await draw(beside)).toMatchObject({ warnings: incomplete('pictures') });
    const alone = buildPdfWithPicture({ ...make(), withText: false });
    expect(await draw(alone)).toEqual({ code: 'attachment_page_unreadable' });
  });

  it.each<[string, Made]>([
    ['a JPEG cut at 60 %', () => ({ data: jpeg.subarray(0, jpeg.length * 0.6), coding: 'DCTDecode' })],
    ['a JPEG cut at 10 %', () => ({ data: jpeg.subarray(0, jpeg.length * 0.1), coding: 'DCTDecode' })],
    ['packed pixels cut at half', cutPacked],
    ['packed pixels in a form, cut at half', () => ({ ...cutPacked(), isInForm: true })],
    ['plain pixels cut at 45 %', () => ({ data: cut(noise, 0.45), coding: '' })],
    ['a JPEG in a form, cut at 60 %', () => ({ ...cutJpeg(0.6), isInForm: true })],
    ['a JPEG that is turned, cut at 60 %', () => ({ ...cutJpeg(0.6), matrix: TURNED })],
    ['a JPEG with lines over it, cut at 60 %', () => ({ ...cutJpeg(0.6), over: LINES })],
    ['a JPEG of several scans, cut at 60 %', () => ({ data: cut(progressive, 0.6), coding: 'DCTDecode' })],
    ['packed pixels that are turned', () => ({ ...cutPacked(), matrix: TURNED })],
    ['packed pixels with lines over them', () => ({ ...cutPacked(), over: LINES })],
    ['a fax cut at half', () => ({ data: cut(makeFax(), 0.5), ...fax })],
    ['a fax of which white rows are missing', () => ({ data: cut(makeFax(), 0.5), ...reversed })],
    ['a fax in a form', () => ({ data: cut(makeFax(), 0.5), ...fax, isInForm: true })],
    [
      'a fax that is turned, with lines over it',
      () => ({ data: cut(makeFax(), 0.5), ...fax, matrix: TURNED, over: LINES }),
    ],
  ])('is named where it ends early: %s [BX-29]', async (_, make) => {
    expect(await draw(buildPdfWithPicture(make()))).toMatchObject({ warnings: incomplete('pictures') });
  });

  it.each<[string, Made]>([
    ['a JPEG', () => ({ data: jpeg, coding: 'DCTDecode' })],
    ['a JPEG without its last two bytes', () => ({ data: jpeg.subarray(0, -2), coding: 'DCTDecode' })],
    ['plain pixels that lack the last byte', () => ({ data: margins.subarray(0, -1), coding: '' })],
    ['packed pixels in a form', () => ({ data: packNoise(), coding: 'FlateDecode', isInForm: true })],
    ['packed pixels', () => ({ data: packNoise(), coding: 'FlateDecode' })],
    ['plain pixels', () => ({ data: noise, coding: '' })],
    ['grey of four bits with white around it', () => ({ data: fourBits, coding: '', bits: 4 })],
    ['two inks', () => ({ data: noise.subarray(0, SIDE * SIDE * 2), coding: '', ...twoInks })],
    ['a colour that is transparent', () => ({ data: margins, coding: '', entries: `/Mask[${'255 255 '.repeat(3)}]` })],
    ['a JPEG with white around it, without its end', () => ({ data: scan.subarray(0, -2), coding: 'DCTDecode' })],
    [
      'a JPEG with white around it and zeros behind it',
      () => ({ data: Buffer.concat([scan, Buffer.alloc(5_000)]), coding: 'DCTDecode' }),
    ],
    ['a white picture', () => ({ data: Buffer.alloc(noise.length, 255), coding: '' })],
    ['a JPEG in a form, without its end', () => ({ data: scan.subarray(0, -2), coding: 'DCTDecode', isInForm: true })],
    ['a JPEG that is turned', () => ({ data: jpeg, coding: 'DCTDecode', matrix: TURNED })],
    ['a JPEG of several scans, without its end', () => ({ data: progressive.subarray(0, -2), coding: 'DCTDecode' })],
    ['packed pixels that are turned', () => ({ data: packNoise(), coding: 'FlateDecode', matrix: TURNED })],
    ['a fax', () => ({ data: makeFax(), ...fax })],
    ['a fax with white rows below', () => ({ data: makeFax({ whiteRows: 80 }), ...fax })],
    ['a fax without its end', () => ({ data: makeFax({ withEnd: false }), ...fax })],
    [
      'a fax with white rows below, without its end',
      () => ({ data: makeFax({ whiteRows: 80, withEnd: false }), ...fax }),
    ],
    ['the same with other colours', () => ({ data: makeFax({ whiteRows: 80, withEnd: false }), ...reversed })],
  ])('is not assumed of a good one: %s', async (_, make) => {
    const pdf = buildPdfWithPicture(make());
    expect(await knownGaps(pdf)).toBeUndefined();
    expect(await draw(pdf)).toMatchObject({ warnings: [] });
  });
});

describe('an annotation without an appearance', () => {
  it.each(['FreeText', 'Stamp', 'Line'])('is named: %s [BX-29]', async (subtype) => {
    const pdf = buildPdfWithAnnotation(subtype);
    expect(await knownGaps(pdf)).toEqual([{ page: 2, lacks: 'annotations' }]);
    expect(await draw(pdf)).toMatchObject({ warnings: incomplete('annotations'), darkest: 0 });
  });

  it.each([
    ['Link', ''],
    ['Highlight', '/QuadPoints[20 60 200 60 20 20 200 20]/C[1 1 0]'],
    ['FreeText', '/F 2'],
  ])('is not missed where it is drawn or is not to be seen: %s %s', async (subtype, entries) => {
    expect(await knownGaps(buildPdfWithAnnotation(subtype, entries))).toBeUndefined();
  });
});

describe('a font made to exhaust its reader', () => {
  it.each([
    ['that is none', () => buildPdfWithFontFile(Buffer.from('not a font'))],
    [
      'of 50 MB',
      () =>
        buildPdfWithFontFile(deflateSync(Buffer.alloc(50 * 1024 * 1024, 7)), '/Filter/FlateDecode/Length1 52428800'),
    ],
  ])('leaves its words to be drawn in another one: %s [S16 BX-29]', async (_, build) => {
    const drawn = await draw(build());
    expect(drawn).toMatchObject({ warnings: [], darkest: expect.toSatisfy((value) => value < 100) });
  });

  it('that lacks fifty thousand characters costs a bounded number of looks [S16 BX-29]', async () => {
    const characters = Array.from({ length: 50_000 }, (_, index) => String.fromCodePoint(0x1000 + index));
    const pdf = buildPdfWithoutFont('identity', characters.filter((each) => !/\p{Cs}/u.test(each)).join(''));
    expect(await knownGaps(pdf)).toEqual([{ page: 1, lacks: 'words' }]);
  });
});

describe('a page that is broken', () => {
  const pdf = buildPdfAround({ page: '(no page)' });

  it('is named, and does not cost the document [BX-29]', async () => {
    const { facts, warnings } = await inspect(pdf);
    expect(facts).toMatchObject({ pages: 3, pageGaps: [{ page: 2, lacks: 'page' }] });
    expect(warnings).toMatchObject(incomplete('cannot be shown at all'));
    expect(await draw(pdf)).toEqual({ code: 'attachment_page_unreadable' });
    for (const page of [1, 3]) expect(await draw(pdf, page)).toMatchObject({ warnings: [] });
  });

  it('is named in the text of the document as well [BX-29]', async () => {
    const outputPath = folder.write('text', '');
    const recipe = { purpose: 'document-text', maxBytes: 1000 } as const;
    const task = { task: 'make-variant', mimeType: 'application/pdf', facts: {}, maxPixels: 9 } as const;
    const reply = await makeVariant({ ...task, path: folder.write('source', pdf), outputPath, recipe });
    expect(reply).toMatchObject({ status: 'made', sizeBytes: (await inspect(pdf)).facts.textBytes });
    expect(readFileSync(outputPath, 'utf8')).toMatch(/--- page 2 ---\n\[This page of the document is broken/);
  });
});

it.each(['1 0 0', '1 1 0', '0 0 1'])('a page of one colour is not blank: %s', async (colour) => {
  expect(await draw(buildPdfAround({ content: `${colour} rg 0 0 300 300 re f` }))).toMatchObject({ warnings: [] });
});

describe('a page that is blank', () => {
  it.each([
    ['has nothing', ''],
    ['has a drawing that nobody can read', 'BT (First page Tj ET'],
    ['has white words', '1 g BT /F1 24 Tf 20 200 Td (White) Tj ET'],
    ['has invisible words', 'BT 3 Tr /F1 24 Tf 20 200 Td (Hidden) Tj ET'],
  ])('is said to be so, and nothing more is assumed, where it %s [BX-29]', async (_, content) => {
    const pdf = buildPdfAround({ content });
    expect(await knownGaps(pdf)).toBeUndefined();
    const warnings = [{ code: 'page_incomplete', severity: 'info', pages: [2], lacks: 'unknown' }];
    expect(await draw(pdf)).toMatchObject({ warnings, darkest: 255 });
  });
});
