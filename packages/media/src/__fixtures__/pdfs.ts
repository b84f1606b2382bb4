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

/** A PDF below 4 KiB with one page that draws a form of 32 MiB, deflated twice, many times: nothing to keep, and minutes to read. `mark` tells one from another. */
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

function drawLines(lines: string[], height: number): string {
  if (lines.length === 0) return '';
  return `BT /F1 12 Tf 14 TL 36 ${height - 72} Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
}
