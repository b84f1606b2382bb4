import { type Around, buildPdfAround, SIDE } from '../gapped-pdfs.ts';
import { buildStream } from '../pdfs.ts';

/** The ways in which a page shows something that is not among its own objects. */
export const holders = ['appearance', 'field', 'state', 'pattern', 'glyph', 'group', 'glyph in a pattern'] as const;
export type Holder = (typeof holders)[number];

/** Operators, with the objects that they name, from 20 on. */
export type Shown = { content: string; names: string; objects?: string[] };

const FIRST_HOLDER = 10;
const FIRST_SHOWN = 20;

/** A page with a line of text, and with something that a holder shows. */
export function buildPdfWithHidden(holder: Holder, { content, names, objects = [] }: Shown, around?: Around): Buffer {
  const held = holds[holder](content, `/Resources<<${names}>>`);
  const empty = Array.from({ length: FIRST_SHOWN - FIRST_HOLDER - held.objects.length }, () => 'null');
  return buildPdfAround({
    around,
    entries: `/Resources<</Font<</F1 9 0 R${held.fonts ?? ''}>>${held.names ?? ''}>>${held.entries ?? ''}`,
    objects: [...held.objects, ...empty, ...objects],
    content: `BT /F1 24 Tf 20 250 Td (Beside it) Tj ET ${held.content ?? ''}`,
  });
}

type Held = { objects: string[]; entries?: string; fonts?: string; names?: string; content?: string };

const BOX = '/BBox[0 0 200 100]';
const form = (content: string, names: string, more = '') =>
  buildStream(content, `/Type/XObject/Subtype/Form${BOX}${names}${more}`);
const tile = (content: string, names: string) =>
  buildStream(content, `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1${BOX}/XStep 200/YStep 100${names}`);
const font = (names: string) =>
  '<</Type/Font/Subtype/Type3/FontBBox[0 0 200 100]/FontMatrix[.01 0 0 .01 0 0]/FirstChar 65/LastChar 65' +
  `/Widths[200]/Encoding<</Differences[65/a]>>/CharProcs<</a 10 0 R>>${names}>>`;
const annotation = (entries: string) => `<</Type/Annot/Rect[20 20 220 120]/F 4${entries}>>`;
const field = '/Subtype/Widget/FT/Tx/T(name)/DA(/F1 12 Tf 0 g)';
const filled = '/Pattern cs /P scn 0 0 300 100 re f';

const holds: Readonly<Record<Holder, (content: string, names: string) => Held>> = {
  appearance: (content, names) => ({
    objects: [form(content, names), annotation('/Subtype/Stamp/AP<</N 10 0 R>>')],
    entries: '/Annots[11 0 R]',
  }),
  field: (content, names) => ({
    objects: [form(content, names), annotation(`${field}/AP<</N 10 0 R>>`)],
    entries: '/Annots[11 0 R]',
  }),
  state: (content, names) => ({
    objects: [form(content, names), annotation('/Subtype/Widget/FT/Btn/T(yes)/AS/On/AP<</N<</On 10 0 R>>>>')],
    entries: '/Annots[11 0 R]',
  }),
  pattern: (content, names) => ({ objects: [tile(content, names)], names: '/Pattern<</P 10 0 R>>', content: filled }),
  glyph: (content, names) => ({
    objects: [buildStream(`200 0 d0 ${content}`), font(names)],
    fonts: '/T 11 0 R',
    content: 'BT /T 1 Tf 100 0 0 100 20 20 Tm (A) Tj ET',
  }),
  group: (content, names) => ({
    objects: [
      form(content, names, '/Group<</S/Transparency/CS/DeviceGray>>'),
      '<</Type/ExtGState/SMask<</S/Luminosity/G 10 0 R>>>>',
    ],
    names: '/ExtGState<</G 11 0 R>>',
    content: '/G gs 0 0 1 rg 0 0 300 100 re f',
  }),
  'glyph in a pattern': (content, names) => ({
    objects: [
      buildStream(`200 0 d0 ${content}`),
      font(names),
      tile('BT /T 1 Tf 100 0 0 100 0 0 Tm (A) Tj ET', '/Resources<</Font<</T 11 0 R>>>>'),
    ],
    names: '/Pattern<</P 12 0 R>>',
    content: filled,
  }),
};

const line = (font: string, codes: string) => `BT /${font} 24 Tf 10 10 Td ${codes} Tj ET`;

/** A line that every reader draws. */
export const goodLine: Shown = { content: line('F1', '(Good)'), names: '/Font<</F1 9 0 R>>' };

/** Characters, by their names, in a font that every reader has. */
export const lineOf = (...characters: string[]): Shown => ({
  content: line('F2', `<${characters.map((_, index) => (128 + index).toString(16)).join('')}>`),
  names: '/Font<</F2 20 0 R>>',
  objects: [
    `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/Differences[128/${characters.join('/')}]>>>>`,
  ],
});

/** Numbers of glyphs in a font elsewhere. */
export const unmappedLine: Shown = {
  content: line('F2', '<002b0048004f>'),
  names: '/Font<</F2 20 0 R>>',
  objects: [
    '<</Type/Font/Subtype/Type0/BaseFont/ArialMT/Encoding/Identity-H/DescendantFonts[21 0 R]>>',
    '<</Type/Font/Subtype/CIDFontType2/BaseFont/ArialMT/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor 22 0 R/DW 600>>',
    '<</Type/FontDescriptor/FontName/ArialMT/Flags 32/FontBBox[-665 -325 2000 1006]/ItalicAngle 0/Ascent 905/Descent -212/CapHeight 716/StemV 80>>',
  ],
};

/** A picture of this data. */
export const pictureOf = (data: Buffer, coding: string): Shown => ({
  content: 'q 180 0 0 80 5 5 cm /I Do Q',
  names: '/XObject<</I 20 0 R>>',
  objects: [
    buildStream(
      data.toString('latin1'),
      `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/${coding}`,
    ),
  ],
});
