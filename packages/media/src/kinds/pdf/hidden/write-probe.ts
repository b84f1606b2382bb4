import { type PdfDictionary, writeDictionary } from '../pdf-dictionary.ts';
import type { PageObject, PageObjects } from './page-objects.ts';

const STEP_POINTS = 1000;

/** The things that a probe shows: objects of the copied page, and others. */
type Shown = { references?: Iterable<string>; streams: readonly PageObject[] };

/** A document whose page shows each of these for itself: the reader then lists it. They are pictures and forms. */
export function writeProbe(objects: PageObjects, { references = [], streams }: Shown): Buffer {
  const first = objects.offsets.length;
  const names = [...references, ...streams.map((_, index) => `${first + index} 0 R`)];
  const content = names.map((_, index) => `q 99 0 0 99 0 ${index * STEP_POINTS} cm /X${index} Do Q`).join('\n');
  const [contents, page, pages, catalog] = [0, 1, 2, 3].map((next) => first + streams.length + next);
  const entries = names.map((name, index) => `/X${index} ${name}`).join('');
  const tree = [
    `<</Type/Page/Parent ${pages} 0 R/MediaBox[0 0 999 999]/Resources<</XObject<<${entries}>>>>/Contents ${contents} 0 R>>`,
    `<</Type/Pages/Count 1/Kids[${page} 0 R]>>`,
    `<</Type/Catalog/Pages ${pages} 0 R>>`,
  ];
  const operators = { entries: new Map(), data: Buffer.from(content) };
  return writeDocument(objects, [...[...streams, operators].map(writeStream), ...tree.map(encode)], `${catalog} 0 R`);
}

const encode = (text: string): Buffer => Buffer.from(text, 'latin1');

function writeStream({ entries, data = Buffer.alloc(0) }: PageObject): Buffer {
  const measured: PdfDictionary = new Map([...entries, ['/Length', `${data.length}`]]);
  return Buffer.concat([encode(`${writeDictionary(measured)}stream\n`), data, encode('\nendstream')]);
}

/** The copied page with more objects behind its own, and another catalog. */
function writeDocument({ bytes, tableAt, offsets }: PageObjects, added: Buffer[], root: string): Buffer {
  const parts = [bytes.subarray(0, tableAt)];
  const places = [...offsets];
  let at = tableAt;
  for (const object of added) {
    const part = Buffer.concat([encode(`${places.length} 0 obj\n`), object, encode('\nendobj\n')]);
    places.push(at);
    parts.push(part);
    at += part.length;
  }
  const lines = places.map((place, index) => `${String(place).padStart(10, '0')} 00000 ${index === 0 ? 'f' : 'n'} \n`);
  const table = `xref\n0 ${places.length}\n${lines.join('')}trailer\n<</Size ${places.length}/Root ${root}>>\n`;
  return Buffer.concat([...parts, encode(`${table}startxref\n${at}\n%%EOF\n`)]);
}
