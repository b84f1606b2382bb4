/** Entries of a dictionary in a PDF, as they are written. Texts are Latin-1, one character per byte. */
export type PdfDictionary = ReadonlyMap<string, string>;

/** None has as many of them. */
const MOST_VALUES = 65_536;

/** Reads the dictionary at an offset; undefined where there is none. `end` is behind it. */
export function readDictionary(text: string, at: number): { entries: PdfDictionary; end: number } | undefined {
  if (!text.startsWith('<<', at)) return undefined;
  const entries = new Map<string, string>();
  let offset = skipBlanks(text, at + 2);
  while (!text.startsWith('>>', offset)) {
    const keyEnd = skipValue(text, offset);
    const valueAt = keyEnd && skipBlanks(text, keyEnd);
    const valueEnd = valueAt && skipValue(text, valueAt);
    if (valueEnd === undefined || text[offset] !== '/' || entries.size > MOST_VALUES) return undefined;
    entries.set(text.slice(offset, keyEnd), text.slice(valueAt, valueEnd));
    offset = skipBlanks(text, valueEnd);
  }
  return { entries, end: offset + 2 };
}

export function writeDictionary(entries: PdfDictionary): string {
  const pairs = [...entries].map(([key, value]) => `${key}${/^[/<([]/.test(value) ? '' : ' '}${value}`);
  return `<<${pairs.join('')}>>`;
}

/** The value at an offset as it is written; undefined where there is none. `end` is behind it. */
export function readValue(text: string, from: number): { value: string; end: number } | undefined {
  const at = skipBlanks(text, from);
  const end = skipValue(text, at);
  return end === undefined ? undefined : { value: text.slice(at, end), end };
}

/** The values of an array as they are written; none where it is no array. */
export function readArray(text: string): string[] {
  const values: string[] = [];
  if (!text.startsWith('[')) return values;
  for (let found = readValue(text, 1); found !== undefined; found = readValue(text, found.end))
    values.push(found.value);
  return values;
}

function skipBlanks(text: string, from: number): number {
  const blanks = /(?:[\s\0]|%[^\r\n]*)*/y;
  blanks.lastIndex = from;
  return from + (blanks.exec(text)?.[0].length ?? 0);
}

function skipValue(text: string, at: number): number | undefined {
  if (text.startsWith('<<', at)) return readDictionary(text, at)?.end;
  if (text[at] === '(') return skipLiteral(text, at);
  if (text[at] === '[') return skipArray(text, at);
  const simple = /<[^>]*>|\d+\s+\d+\s+R\b|\/?[^\s\0()<>[\]{}/%]+/y;
  simple.lastIndex = at;
  const found = simple.exec(text)?.[0];
  return found === undefined ? undefined : at + found.length;
}

function skipArray(text: string, at: number): number | undefined {
  let offset: number | undefined = skipBlanks(text, at + 1);
  for (let count = 0; count < MOST_VALUES && offset !== undefined; count += 1) {
    if (text[offset] === ']') return offset + 1;
    const end = skipValue(text, offset);
    offset = end && skipBlanks(text, end);
  }
  return undefined;
}

function skipLiteral(text: string, at: number): number | undefined {
  let depth = 0;
  for (let offset = at; offset < text.length; offset += 1) {
    if (text[offset] === '\\') offset += 1;
    else if (text[offset] === '(') depth += 1;
    else if (text[offset] === ')') depth -= 1;
    if (depth === 0) return offset + 1;
  }
  return undefined;
}
