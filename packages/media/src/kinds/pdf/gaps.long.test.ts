import { deflateSync } from 'node:zlib';
import type { PageGap } from '@attache/contracts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Around,
  buildMask,
  buildPdfAround,
  buildPdfWithPicture,
  makeJpeg,
  noise,
  packNoise,
  SIDE,
} from '../../__fixtures__/gapped-pdfs.ts';
import { createPdfTools } from '../../__fixtures__/pdf-pages/draw-pages.ts';
import {
  buildPdfWithHidden,
  goodLine,
  holders,
  lineOf,
  pictureOf,
  unmappedLine,
} from '../../__fixtures__/pdf-pages/hidden-pdfs.ts';
import { makeFax } from '../../__fixtures__/pdf-pages/make-fax.ts';
import { buildStream } from '../../__fixtures__/pdfs.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { createRandom, type Random } from '../../passing/__fixtures__/random.ts';

const seed = Number(process.env.ATTACHE_TEST_SEED ?? 1);
/** Documents of a class. */
const COUNT = 60;
const folder = createTempFolder();
afterAll(folder.remove);
const { knownGaps, draw } = createPdfTools(folder);

let jpegs: Buffer[];
beforeAll(async () => {
  const raw = { width: SIDE, height: SIDE, channels: 3 } as const;
  jpegs = [await makeJpeg(), await sharp(noise, { raw }).jpeg({ progressive: true }).toBuffer()];
});

/** `lacks`: what is missing from the page; undefined where it is whole. */
type Made = { pdf: Buffer; lacks: PageGap['lacks'] | undefined };

const cutAnywhere = (random: Random, data: Buffer): Buffer =>
  data.subarray(0, data.length / 5 + random.below(Math.floor(data.length * 0.6)));

const placings = [
  {},
  { isInForm: true },
  { matrix: '150 90 -90 150 130 40' },
  { over: [0, 50, 100, 150].map((x) => `3 w ${x} 60 m ${x + 150} 300 l S`).join(' ') },
];

const makePicture = (random: Random, around: Around): Made => {
  const isWhole = random.below(3) === 0;
  const shape = `/DecodeParms<</K -1/Columns ${SIDE}/Rows ${SIDE}>>${random.pick(['', '/Decode[1 0]'])}`;
  const whiteRows = random.below(SIDE / 2);
  const picture = random.pick([
    { data: random.pick(jpegs), coding: 'DCTDecode' },
    { data: packNoise(), coding: 'FlateDecode' },
    { data: noise, coding: '' },
    { data: makeFax({ whiteRows }), coding: 'CCITTFaxDecode', bits: 1, entries: shape } as const,
  ]);
  const data = isWhole ? picture.data : cutAnywhere(random, picture.data);
  const pdf = buildPdfWithPicture({ ...picture, data, ...random.pick(placings), around });
  return { pdf, lacks: isWhole ? undefined : 'pictures' };
};

const makeMasked = (random: Random, around: Around): Made => {
  const shades = deflateSync(Buffer.from(random.bytes(SIDE * SIDE).map((value) => value | 0x80)));
  const isWhole = random.below(3) === 0;
  const mask = random.pick([
    buildMask(cutAnywhere(random, shades), 'FlateDecode'),
    buildMask(shades, random.pick(['FooDecode', 'DCTDecode', 'JPXDecode'])),
    buildMask(random.bytes(500), 'FlateDecode'),
  ]);
  const picture = random.pick([
    { data: random.pick(jpegs), coding: 'DCTDecode' },
    { data: packNoise(), coding: 'FlateDecode' },
  ]);
  const entries = `/${random.pick(['SMask', 'Mask'])} 12 0 R`;
  const shown = { ...picture, entries, mask: isWhole ? buildMask(shades, 'FlateDecode') : mask, around };
  return { pdf: buildPdfWithPicture(shown), lacks: isWhole ? undefined : 'pictures' };
};

/** Names of characters that neither the reader nor a font of ours has, and of those that one has. */
const foreignNames = ['uni0E01', 'uni0905', 'uni0B85', 'uni1000', 'uni0E2A'];
const ownNames = ['uni0416', 'uni0394', 'uni2116', 'afii61352', 'uni05D0'];

const makeHidden = (random: Random, around: Around): Made => {
  const { lacks, shown } = random.pick([
    { lacks: 'words', shown: lineOf(random.pick(foreignNames), random.pick(ownNames)) },
    { lacks: 'unmapped', shown: unmappedLine },
    { lacks: 'pictures', shown: pictureOf(cutAnywhere(random, packNoise()), 'FlateDecode') },
    { lacks: 'pictures', shown: pictureOf(cutAnywhere(random, random.pick(jpegs)), 'DCTDecode') },
    { lacks: 'pictures', shown: pictureOf(packNoise(), 'FooDecode') },
    { lacks: undefined, shown: pictureOf(random.pick(jpegs), 'DCTDecode') },
    { lacks: undefined, shown: lineOf(random.pick(ownNames)) },
    { lacks: undefined, shown: goodLine },
  ] as const);
  return { pdf: buildPdfWithHidden(random.pick(holders), shown, around), lacks };
};

const makeCut = (random: Random, around: Around): Made => {
  const lines = Array.from({ length: 20 }, () => `BT /F1 9 Tf 20 ${random.below(280)} Td (${random.below(1e9)}) Tj ET`);
  const packed = deflateSync(lines.join('\n'));
  const { data, filter, lacks } = random.pick([
    { data: cutAnywhere(random, packed), filter: 'FlateDecode', lacks: 'unknown' },
    { data: packed, filter: 'FooDecode', lacks: 'unknown' },
    { data: random.bytes(300).fill(0, 0, 1), filter: 'FlateDecode', lacks: 'unknown' },
    { data: packed, filter: 'FlateDecode', lacks: undefined },
    { data: packed.subarray(0, -4), filter: 'FlateDecode', lacks: undefined },
  ] as const);
  const stream = (entries = '') => buildStream(data.toString('latin1'), `/Filter/${filter}${entries}`);
  const good = buildStream(`BT /F1 9 Tf 20 290 Td (Beside it) Tj ET ${random.pick(['', '/X Do'])}`);
  const form = '/Type/XObject/Subtype/Form/BBox[0 0 300 300]/Resources<</Font<</F1 9 0 R>>>>';
  const isInForm = good.includes('/X Do');
  const objects = [good, isInForm ? stream(form) : stream()];
  const contents = isInForm ? '10 0 R' : random.pick(['[10 0 R 11 0 R]', '[11 0 R 10 0 R]']);
  const resources = '/Resources<</Font<</F1 9 0 R>>/XObject<</X 11 0 R>>>>';
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]${resources}/Contents ${contents}>>`;
  return { pdf: buildPdfAround({ page, objects, around }), lacks };
};

describe('a page that a made document lacks something of is named, and one that is whole is not', () => {
  it.each([
    ['pictures', makePicture],
    ['masks', makeMasked],
    ['patterns, glyphs and appearances', makeHidden],
    ['content', makeCut],
  ])(`%s, ${COUNT} times [BX-29]`, async (_, make) => {
    const random = createRandom(seed);
    for (let count = 0; count < COUNT; count += 1) {
      const around: Around = { before: random.below(2) as 0 | 1, after: random.below(4) };
      const { pdf, lacks } = make(random, around);
      const page = around.before + 1;
      const drawn = await draw(pdf, page);
      const said = 'code' in drawn ? drawn.code : drawn.warnings.map((warning) => warning.lacks).join();
      // A broken stream may take the rest of its page with it.
      const expected = lacks === undefined ? [''] : [lacks, 'attachment_page_unreadable'];
      expect(expected, `${count}: ${JSON.stringify(pdf.toString('latin1')).slice(0, 3_000)}`).toContain(said);
      for (const gap of (await knownGaps(pdf)) ?? []) expect(gap).toEqual({ page, lacks });
      if (around.after > 0) expect(await draw(pdf, page + 1)).toMatchObject({ warnings: [] });
    }
  });
});
