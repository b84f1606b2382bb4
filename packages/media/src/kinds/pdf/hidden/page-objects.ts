import { type PdfDictionary, readArray, readDictionary, readValue } from '../pdf-dictionary.ts';

/** An object of a copied page. `data`: of a stream, as it is stored. */
export type PageObject = { entries: PdfDictionary; data?: Buffer };

/** The objects of a copied page. */
export type PageObjects = {
  page: PdfDictionary;
  bytes: Buffer;
  /** The place of the table of objects, behind the last one. */
  tableAt: number;
  /** The places of objects by their numbers. */
  offsets: readonly number[];
  /** The value that an entry has or names, as it is written. */
  resolve(value: string | undefined): string;
  /** The dictionary or stream that an entry has or names. */
  read(value: string | undefined): PageObject | undefined;
  /** The values of an array, or the only value there is. */
  list(value: string | undefined): string[];
};

const LINE_BYTES = 20;
const OFFSET_DIGITS = 10;

/** Reads a document as the reader writes it: one table of its objects, from number 0 on. Undefined where it is not like that. */
export function readPageObjects(bytes: Buffer): PageObjects | undefined {
  const text = bytes.toString('latin1');
  const head = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text.slice(-64));
  const tableAt = Number(head?.[1] ?? -1);
  const table = /xref\s+0 (\d+)\r?\n/y;
  table.lastIndex = tableAt;
  const count = Number(table.exec(text)?.[1] ?? 0);
  if (count === 0) return undefined;
  const offsets = Array.from({ length: count }, (_, index) => {
    const at = table.lastIndex + index * LINE_BYTES;
    return Number(text.slice(at, at + OFFSET_DIGITS));
  });
  const placeOf = (value: string): number | undefined => {
    const number = /^(\d+)\s+\d+\s+R$/.exec(value)?.[1];
    return number === undefined ? undefined : findValue(text, offsets[Number(number)]);
  };
  const resolve = (value = 'null') => {
    const place = placeOf(value);
    return place === undefined ? value : (readValue(text, place)?.value ?? 'null');
  };
  const read = (value = 'null'): PageObject | undefined => {
    const place = placeOf(value);
    const found = place === undefined ? readDictionary(value, 0) : readDictionary(text, place);
    if (found === undefined || place === undefined) return found;
    const data = findData(text, found.end, Number(resolve(found.entries.get('/Length'))));
    return { entries: found.entries, ...(data && { data: bytes.subarray(data.start, data.end) }) };
  };
  const list = (value = 'null') => {
    const resolved = resolve(value);
    return resolved.startsWith('[') ? readArray(resolved) : [value];
  };
  const page = findPage({ read, list }, text.slice(tableAt));
  return page && { page, bytes, tableAt, offsets, resolve, read, list };
}

function findPage({ read, list }: Pick<PageObjects, 'read' | 'list'>, tail: string): PdfDictionary | undefined {
  const catalog = read(/\/Root (\d+ \d+ R)/.exec(tail)?.[1])?.entries;
  const [page] = list(read(catalog?.get('/Pages'))?.entries.get('/Kids'));
  return read(page)?.entries;
}

function findValue(text: string, offset = 0): number | undefined {
  const start = /\d+ \d+ obj\s*/y;
  start.lastIndex = offset;
  return start.test(text) ? start.lastIndex : undefined;
}

function findData(text: string, at: number, lengthBytes: number): { start: number; end: number } | undefined {
  const start = /\s*stream\r?\n/y;
  start.lastIndex = at;
  return start.test(text) && lengthBytes >= 0
    ? { start: start.lastIndex, end: start.lastIndex + lengthBytes }
    : undefined;
}
