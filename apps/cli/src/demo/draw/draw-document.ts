const [WIDTH, HEIGHT] = [420, 595];

const title = (text: string) => `BT /F1 22 Tf 40 ${HEIGHT - 70} Td (${text}) Tj ET`;
const paragraph = (...lines: string[]) => {
  return `BT /F1 12 Tf 16 TL 40 ${HEIGHT - 110} Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
};

// Hills under a sun, as in the picture.
const sun = '0.98 0.58 0.36 rg 300 250 m 300 283 273 310 240 310 c 207 310 180 283 180 250 c h f';
const hills = '0.11 0.18 0.31 rg 40 250 m 130 330 220 230 380 290 c 380 120 l 40 120 l h f';
const frame = '0.11 0.18 0.31 RG 1.5 w 40 120 340 240 re S';

const pages = [
  [
    title('Evening walk'),
    paragraph(
      'Start at the mill at half past six.',
      'Follow the river to the second bridge.',
      'The way back is on the next page.',
    ),
  ],
  [title('The way back'), paragraph('From the bridge the sun sets between these hills.'), sun, hills, frame],
];

/** Draws a document: two small pages with text, and a drawing on the second, as a PDF. */
export function drawDocument(): Buffer {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  return encodePdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...pages.flatMap((content, index) => [describePage(5 + 2 * index), encodeStream(content.join('\n'))]),
  ]);
}

function describePage(content: number): string {
  const resources = '<</Font<</F1 3 0 R>>>>';
  return `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents ${content} 0 R/Resources${resources}>>`;
}

function encodeStream(content: string): string {
  return `<</Length ${content.length}>>stream\n${content}\nendstream`;
}

/** Objects are numbered from 1; the table at the end says at which byte each begins. */
function encodePdf(objects: readonly string[]): Buffer {
  let text = '%PDF-1.7\n';
  const entries = objects.map((object, index) => {
    const entry = `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return entry;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}`;
  return Buffer.from(
    `${text}${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}
