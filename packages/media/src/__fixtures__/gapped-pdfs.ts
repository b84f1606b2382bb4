import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { buildPdfOf, buildStream } from './pdfs.ts';

/** The middle page of a made document. */
type Middle = {
  /** Entries of its dictionary, and the objects that these name, from 10 on. */
  entries?: string;
  objects?: string[];
  content?: string;
  /** Instead of the page. */
  page?: string;
  around?: Around | undefined;
};

/** How many pages with a line of text there are before the page, at most one, and after it. */
export type Around = { before: 0 | 1; after: number };

const FIRST_OBJECT = 10;

/** Three pages or as many as are said: a line of text on each, but on `middle`. */
export function buildPdfAround({ entries = '', objects = [], content = '', page, around }: Middle): Buffer {
  const { before, after } = around ?? { before: 1, after: 1 };
  const dictionary = (contents: number, more: string) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents ${contents} 0 R${more}>>`;
  const font = '/Resources<</Font<</F1 9 0 R>>>>';
  return buildPdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${before + 1 + after}/Kids[${before === 1 ? '3 0 R' : ''} 4 0 R ${'5 0 R '.repeat(after)}]>>`,
    dictionary(6, font),
    page ?? dictionary(7, entries || font),
    dictionary(8, font),
    buildStream('BT /F1 24 Tf 20 200 Td (First page) Tj ET'),
    buildStream(content),
    buildStream('BT /F1 24 Tf 20 200 Td (Last page) Tj ET'),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...objects,
  ]);
}

export const SIDE = 200;

/** Pixels without a pattern, three bytes each. */
export const noise = Buffer.from(
  Array.from({ length: SIDE * SIDE * 3 }, (_, index) => (Math.imul(index + 1, 2_654_435_761) >>> 16) & 0x7f),
);

/** The same pixels with white around them, as a scan has it. */
export const margins = Buffer.from(
  noise.map((value, index) => {
    const [x, y] = [Math.floor(index / 3) % SIDE, Math.floor(index / 3 / SIDE)];
    return Math.min(x, y, SIDE - 1 - x, SIDE - 1 - y) < SIDE / 5 ? 255 : value;
  }),
);

export const makeJpeg = (pixels = noise): Promise<Buffer> =>
  sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .jpeg()
    .toBuffer();

export const packNoise = (): Buffer => deflateSync(noise);

type Picture = {
  data: Buffer;
  coding: string;
  bits?: 1 | 4 | 8;
  entries?: string;
  withText?: boolean;
  isInForm?: boolean;
  /** A stream, for an entry that names object 12. */
  mask?: string;
  /** The place where it is drawn, and operators that draw over it. */
  matrix?: string;
  over?: string;
  around?: Around;
};

/** A page with a picture of this data, alone or with a line of text below it. */
export function buildPdfWithPicture(picture: Picture): Buffer {
  const { data, coding, bits = 8, entries = '', withText = true, isInForm = false } = picture;
  const { mask = 'null', matrix = '200 0 0 200 50 80', over = '', around } = picture;
  const space = bits === 8 ? 'DeviceRGB' : 'DeviceGray';
  const shape = `/Width ${SIDE}/Height ${SIDE}/ColorSpace/${space}/BitsPerComponent ${bits}`;
  const filter = coding === '' ? '' : `/Filter/${coding}`;
  const placed = `q ${matrix} cm /I Do Q ${over}`;
  const names = (drawn: number) => `/Resources<</Font<</F1 9 0 R>>/XObject<</I ${FIRST_OBJECT} 0 R/X ${drawn} 0 R>>>>`;
  return buildPdfAround({
    around,
    entries: names(FIRST_OBJECT + 1),
    objects: [
      buildStream(data.toString('latin1'), `/Type/XObject/Subtype/Image${shape}${filter}${entries}`),
      buildStream(placed, `/Type/XObject/Subtype/Form/BBox[0 0 300 300]${names(FIRST_OBJECT)}`),
      mask,
    ],
    content: `${isInForm ? '/X Do' : placed}${withText ? ' BT /F1 24 Tf 20 20 Td (A picture) Tj ET' : ''}`,
  });
}

/** A soft mask of this data for such a picture. */
export const buildMask = (data: Buffer, coding: string, entries = ''): string =>
  buildStream(
    data.toString('latin1'),
    `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/DeviceGray/BitsPerComponent 8${coding && `/Filter/${coding}`}${entries}`,
  );

/** A page with a line whose glyphs are numbers in a font elsewhere, and nothing that says what they mean. */
export const buildPdfWithoutMeaning = (): Buffer =>
  buildPdfAround({
    entries: `/Resources<</Font<</F2 ${FIRST_OBJECT} 0 R>>>>`,
    objects: [
      `<</Type/Font/Subtype/Type0/BaseFont/ArialMT/Encoding/Identity-H/DescendantFonts[${FIRST_OBJECT + 1} 0 R]>>`,
      `<</Type/Font/Subtype/CIDFontType2/BaseFont/ArialMT/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor ${FIRST_OBJECT + 2} 0 R/DW 600>>`,
      '<</Type/FontDescriptor/FontName/ArialMT/Flags 32/FontBBox[-665 -325 2000 1006]/ItalicAngle 0/Ascent 905/Descent -212/CapHeight 716/StemV 80>>',
    ],
    content: 'BT /F2 24 Tf 20 200 Td <002b0048004f004f0052> Tj ET',
  });

/** A page with a line of characters, by their names, in a font that every reader has. */
export const buildPdfWithNames = (names: readonly string[], beside = ''): Buffer =>
  buildPdfAround({
    entries: `/Resources<</Font<</F1 9 0 R/F2 ${FIRST_OBJECT} 0 R>>>>`,
    objects: [
      `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/Differences[128/${names.join('/')}]>>>>`,
    ],
    content: `BT /F2 24 Tf 20 200 Td <${names.map((_, index) => (128 + index).toString(16)).join('')}> Tj ET BT /F1 24 Tf 20 50 Td (${beside}) Tj ET`,
  });

/** A page with an annotation of this kind that has no appearance. */
export const buildPdfWithAnnotation = (subtype: string, entries = ''): Buffer =>
  buildPdfAround({
    entries: `/Resources<</Font<</F1 9 0 R>>>>/Annots[${FIRST_OBJECT} 0 R]`,
    objects: [`<</Type/Annot/Subtype/${subtype}/Rect[20 20 200 60]/Contents(Please check)/F 4${entries}>>`],
    content: 'BT /F1 24 Tf 20 200 Td (With a note) Tj ET',
  });

/** A page filled with a pattern that is filled with the other one, and that again with the first: nobody ever finishes it. */
export const buildPdfWithEndlessPage = (): Buffer => {
  const [first, second] = [FIRST_OBJECT, FIRST_OBJECT + 1];
  const resources = `/Resources<</Pattern<</P ${first} 0 R/Q ${second} 0 R>>>>`;
  const tile = `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 3/YStep 3${resources}`;
  const fill = (name: string) => `/Pattern cs /${name} scn 0 0 300 300 re f`;
  return buildPdfAround({
    entries: resources,
    objects: [buildStream(fill('Q').repeat(4), tile), buildStream(fill('P').repeat(4), tile)],
    content: fill('P'),
  });
};

/** A page with a line in a font whose file is this. */
export const buildPdfWithFontFile = (file: Buffer, entries = ''): Buffer =>
  buildPdfAround({
    entries: `/Resources<</Font<</F2 ${FIRST_OBJECT} 0 R>>>>`,
    objects: [
      `<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Made/FirstChar 32/LastChar 126/FontDescriptor ${FIRST_OBJECT + 1} 0 R/Encoding/WinAnsiEncoding>>`,
      `<</Type/FontDescriptor/FontName/ABCDEF+Made/Flags 32/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 905/Descent -212/CapHeight 716/StemV 80/FontFile2 ${FIRST_OBJECT + 2} 0 R>>`,
      buildStream(file.toString('latin1'), entries),
    ],
    content: 'BT /F2 24 Tf 20 200 Td (Policy 48213) Tj ET',
  });
