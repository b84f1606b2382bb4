import { deflateSync } from 'node:zlib';
import type { PageGap } from '@attache/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import {
  buildMask,
  buildPdfAround,
  buildPdfWithPicture,
  noise,
  packNoise,
  SIDE,
} from '../../../__fixtures__/gapped-pdfs.ts';
import { createPdfTools } from '../../../__fixtures__/pdf-pages/draw-pages.ts';
import {
  buildPdfWithHidden,
  goodLine,
  holders,
  lineOf,
  pictureOf,
  type Shown,
  unmappedLine,
} from '../../../__fixtures__/pdf-pages/hidden-pdfs.ts';
import { buildStream } from '../../../__fixtures__/pdfs.ts';
import { createTempFolder } from '../../../__fixtures__/temp-folder.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const { knownGaps, draw } = createPdfTools(folder);

const incomplete = (lacks: PageGap['lacks']) => [
  expect.objectContaining({ code: 'page_incomplete', pages: [2], lacks }),
];

describe('the mask of a picture', () => {
  const shades = deflateSync(Buffer.from(noise.subarray(0, SIDE * SIDE).map((value) => value + 128)));
  const withMask = (mask: string, key = 'SMask') =>
    buildPdfWithPicture({ data: packNoise(), coding: 'FlateDecode', entries: `/${key} 12 0 R`, mask });
  const stencil = '/ImageMask true/BitsPerComponent 1';

  it.each([
    ['that is cut', withMask(buildMask(shades.subarray(0, shades.length / 2), 'FlateDecode'))],
    ['that is no packed data', withMask(buildMask(Buffer.from('no mask at all'), 'FlateDecode'))],
    ['of a coding that nobody knows', withMask(buildMask(shades, 'FooDecode'))],
    ['that is no JPEG', withMask(buildMask(Buffer.alloc(3000, 'no picture'), 'DCTDecode'))],
    ['without data', withMask(buildMask(Buffer.alloc(0), 'FlateDecode'))],
    [
      'of two colours that is cut',
      withMask(
        buildMask(Buffer.alloc((SIDE * SIDE) / 8 / 2), '', '/ImageMask true').replace('Component 8', 'Component 1'),
        'Mask',
      ),
    ],
  ])('is named as one of its pictures: %s [BX-29]', async (_, pdf) => {
    expect(await draw(pdf)).toMatchObject({ warnings: incomplete('pictures') });
  });

  it.each([
    ['that is whole', withMask(buildMask(shades, 'FlateDecode'))],
    ['that hides all of it', withMask(buildMask(deflateSync(Buffer.alloc(SIDE * SIDE)), 'FlateDecode'))],
    ['whose packed data lacks its checksum', withMask(buildMask(shades.subarray(0, -4), 'FlateDecode'))],
    ['of plain shades', withMask(buildMask(Buffer.alloc(SIDE * SIDE, 200), ''))],
    ['of two colours', withMask(buildMask(Buffer.alloc((SIDE * SIDE) / 8, 0x5a), '', stencil), 'Mask')],
  ])('is not missed where it is good: %s', async (_, pdf) => {
    expect(await draw(pdf)).toMatchObject({ warnings: [] });
  });

  it('is not missed where no picture of the page has it', async () => {
    const mask = buildMask(Buffer.from('no mask at all'), 'FlateDecode');
    const picture = buildMask(deflateSync(Buffer.alloc(SIDE * SIDE)), 'FlateDecode', '/SMask 10 0 R');
    const entries = '/Resources<</Font<</F1 9 0 R>>/XObject<</I 11 0 R>>>>';
    const content = 'BT /F1 24 Tf 20 200 Td (No picture) Tj ET';
    expect(await draw(buildPdfAround({ entries, objects: [mask, picture], content }))).toMatchObject({ warnings: [] });
  });
});

describe.each(holders)('what a page shows by another way: %s', (holder) => {
  const isKnown = !['pattern', 'group', 'glyph in a pattern'].includes(holder);

  it.each<[PageGap['lacks'], string, Shown]>([
    ['words', 'characters that no font draws', lineOf('uni0E01', 'uni0E02')],
    ['unmapped', 'numbers of glyphs', unmappedLine],
    ['pictures', 'a picture of a coding that nobody knows', pictureOf(packNoise(), 'FooDecode')],
  ])('lacks %s where it has %s [BX-29]', async (lacks, _, shown) => {
    const pdf = buildPdfWithHidden(holder, shown);
    expect(await draw(pdf)).toMatchObject({ warnings: incomplete(lacks) });
    expect(await knownGaps(pdf)).toEqual(isKnown ? [{ page: 2, lacks }] : undefined);
  });

  it('lacks pictures where one ends early [BX-29]', async () => {
    const cut = pictureOf(packNoise().subarray(0, packNoise().length / 2), 'FlateDecode');
    expect(await draw(buildPdfWithHidden(holder, cut))).toMatchObject({ warnings: incomplete('pictures') });
  });

  it.each([
    ['a good line', goodLine],
    ['characters that a font of ours draws', lineOf('afii61352', 'uni2116', 'uni0416')],
    ['a good picture', pictureOf(packNoise(), 'FlateDecode')],
  ])('lacks nothing where it has %s', async (_, shown) => {
    const pdf = buildPdfWithHidden(holder, shown);
    expect(await knownGaps(pdf)).toBeUndefined();
    expect(await draw(pdf)).toMatchObject({ warnings: [] });
  });
});

describe('content', () => {
  const packed = deflateSync(
    Array.from(
      { length: 12 },
      (_, row) => `BT /F1 12 Tf 20 ${250 - row * 20} Td (Line ${row * 7919} of them) Tj ET`,
    ).join('\n'),
  );
  const flate = '/Filter/FlateDecode';
  const stream = (data: Buffer, entries = flate) => buildStream(data.toString('latin1'), entries);
  const good = buildStream('BT /F1 12 Tf 20 270 Td (Part of it) Tj ET');
  const middle = (...streams: string[]) =>
    buildPdfAround({
      page: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</Font<</F1 9 0 R>>/XObject<</X 10 0 R>>>>/Contents[${streams.map((_, index) => `${10 + index} 0 R`).join(' ')}]>>`,
      objects: streams,
    });
  const form = (data: Buffer) => stream(data, `${flate}/Type/XObject/Subtype/Form/BBox[0 0 300 300]`);

  it.each([
    ['one of its streams is cut', middle(good, stream(packed.subarray(0, packed.length / 2)))],
    ['one of its streams is no packed data', middle(good, stream(Buffer.from('nothing packed')))],
    ['one of its streams has a coding that nobody knows', middle(good, stream(packed, '/Filter/FooDecode'))],
    ['its only stream is cut', middle(stream(packed.subarray(0, packed.length - 30)))],
    ['a form on it is cut', middle(form(packed.subarray(0, packed.length / 2)), buildStream('/X Do'), good)],
  ])('is said to be missing where %s [BX-29]', async (_, pdf) => {
    expect(await draw(pdf)).toMatchObject({ warnings: incomplete('unknown'), darkest: 0 });
  });

  it('makes the page unreadable where nothing of it is drawn [BX-29]', async () => {
    expect(await draw(middle(stream(packed, '/Filter/FooDecode')))).toEqual({ code: 'attachment_page_unreadable' });
  });

  it.each([
    ['is whole', middle(good, stream(packed))],
    ['lacks its checksum', middle(good, stream(packed.subarray(0, -4)))],
    ['has blanks behind it', middle(good, stream(Buffer.concat([packed, Buffer.from('\n\n')])))],
    ['is packed twice', middle(good, stream(deflateSync(packed), '/Filter[/FlateDecode/FlateDecode]'))],
    ['is empty', middle(good, stream(Buffer.alloc(0)))],
    ['is written in hexadecimal', middle(good, stream(Buffer.from('71 51>'), '/Filter/ASCIIHexDecode'))],
  ])('is not missed where it %s', async (_, pdf) => {
    expect(await draw(pdf)).toMatchObject({ warnings: [], darkest: 0 });
  });
});
