import { deflateSync } from 'node:zlib';

export type PageOptions = {
  /** In points. */
  size?: [number, number];
  /** Further entries of each page's dictionary. */
  entries?: string;
};

/** A PDF of pages with these lines, in a font that every reader has. */
export function buildPdf(pages: string[][], options: PageOptions = {}): Buffer {
  const { size = [612, 792], entries = '' } = options;
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const page = (content: number) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${size.join(' ')}]/Contents ${content} 0 R` +
    `/Resources<</Font<</F1 3 0 R>>>>${entries}>>`;
  return buildPdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...pages.flatMap((lines, index) => [page(5 + 2 * index), buildStream(drawLines(lines, size[1]))]),
  ]);
}

let costlyContent: Buffer | undefined;

/**
 * A PDF below 4 KiB with one page that draws a form of 32 MiB, deflated twice, many times: nothing to keep, and minutes to read. `mark` makes each one
 * different.
 */
export function buildCostlyPdf(mark = 0): Buffer {
  costlyContent ??= deflateSync(deflateSync(Buffer.alloc(32 * 1024 * 1024, 'q Q ')));
  const form = '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Filter[/FlateDecode/FlateDecode]';
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>',
    buildStream('/F Do '.repeat(300)),
    buildStream(costlyContent.toString('latin1'), form),
  ];
  return buildPdfOf(objects, `/Mark ${mark}`);
}

/** A PDF of these objects, numbered from 1; the first one is its catalog. */
export function buildPdfOf(objects: string[], trailer = ''): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const end = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + end, 'latin1');
}

export function buildStream(content: string, entries = ''): string {
  return `<</Length ${content.length}${entries}>>stream\n${content}\nendstream`;
}

/** The ways in which a document names a font that it does not hold. */
export type FontWithoutFile = 'differences' | 'identity' | 'japanese';

/** A PDF of one page with a line in a font that is not in it. */
export function buildPdfWithoutFont(way: FontWithoutFile, text: string, { isVisible = true } = {}): Buffer {
  const { fonts, codes } = describeFonts[way]([...text]);
  return buildPdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 60]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>',
    buildStream(`BT ${isVisible ? 0 : 3} Tr /F1 24 Tf 20 20 Td <${codes}> Tj ET`),
    ...fonts,
  ]);
}

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
const unicodeOf = (characters: readonly string[]) => characters.map((each) => hex(each.codePointAt(0) ?? 0, 4));

const fontFile = (name: string) =>
  `<</Type/FontDescriptor/FontName/${name}/Flags 32/FontBBox[-665 -325 2000 1006]/ItalicAngle 0/Ascent 905/Descent -212/CapHeight 716/StemV 80>>`;

const describeFonts: Record<FontWithoutFile, (text: string[]) => { fonts: string[]; codes: string }> = {
  // A base font whose codes from 128 on are named.
  differences(text) {
    const names = unicodeOf(text).map((code) => `/uni${code.toUpperCase()}`);
    const encoding = `<</Type/Encoding/Differences[128${names.join('')}]>>`;
    return {
      fonts: [`<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding${encoding}>>`],
      codes: text.map((_, index) => hex(128 + index, 2)).join(''),
    };
  },
  // Numbers of glyphs of a font elsewhere, and what they mean.
  identity(text) {
    const meanings = unicodeOf(text).map((code, index) => `<${hex(index + 3, 4)}> <${code}>`);
    const map = [
      ...['/CIDInit /ProcSet findresource begin', '12 dict begin', 'begincmap', '/CMapName /Made def'],
      ...['1 begincodespacerange', '<0000> <FFFF>', 'endcodespacerange'],
      ...[`${meanings.length} beginbfchar`, ...meanings, 'endbfchar', 'endcmap', 'end', 'end'],
    ];
    return {
      fonts: [
        '<</Type/Font/Subtype/Type0/BaseFont/ArialMT/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 8 0 R>>',
        '<</Type/Font/Subtype/CIDFontType2/BaseFont/ArialMT/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor 7 0 R/DW 600>>',
        fontFile('ArialMT'),
        buildStream(map.join('\n')),
      ],
      codes: text.map((_, index) => hex(index + 3, 4)).join(''),
    };
  },
  // A font that every reader of Japanese has.
  japanese: (text) => ({
    fonts: [
      '<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/UniJIS-UCS2-H/DescendantFonts[6 0 R]>>',
      '<</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 7 0 R/DW 1000>>',
      fontFile('HeiseiMin-W3'),
    ],
    codes: unicodeOf(text).join(''),
  }),
};

function drawLines(lines: string[], height: number): string {
  if (lines.length === 0) return '';
  return `BT /F1 12 Tf 14 TL 36 ${height - 72} Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
}
