const TABLE_COUNT_AT = 4;
const TABLES_AT = 12;
const ENTRY_BYTES = 16;

/** A table of a TrueType or OpenType file by its tag; the whole file without one. */
export function findTable(file: Buffer, tag: number): Buffer {
  if (tag === 0 || file.length < TABLES_AT) return file;
  for (let entry = 0; entry < file.readUInt16BE(TABLE_COUNT_AT); entry += 1) {
    const at = TABLES_AT + ENTRY_BYTES * entry;
    if (file.readUInt32BE(at) !== tag) continue;
    const start = file.readUInt32BE(at + 8);
    return file.subarray(start, start + file.readUInt32BE(at + 12));
  }
  return Buffer.alloc(0);
}

const CMAP = 0x63_6d_61_70;
const SEGMENTS = 4;
const GROUPS = 12;

type Range = { first: number; last: number };

/** The characters that a font of ours has glyphs for. */
export function readCharacters(file: Buffer): { has(code: number): boolean } {
  const table = findTable(file, CMAP);
  const ranges = listSubtables(table).flatMap((subtable): Range[] => {
    if (subtable.readUInt16BE(0) === GROUPS) return readGroups(subtable);
    return subtable.readUInt16BE(0) === SEGMENTS ? readSegments(subtable) : [];
  });
  return { has: (code) => ranges.some(({ first, last }) => first <= code && code <= last) };
}

const listSubtables = (table: Buffer): Buffer[] =>
  Array.from({ length: table.readUInt16BE(2) }, (_, index) => table.subarray(table.readUInt32BE(8 + 8 * index)));

const readGroups = (subtable: Buffer): Range[] =>
  Array.from({ length: subtable.readUInt32BE(12) }, (_, index) => {
    const at = 16 + 12 * index;
    return { first: subtable.readUInt32BE(at), last: subtable.readUInt32BE(at + 4) };
  });

// A segment may have characters without a glyph; none of the fonts that we bring has such a segment of signs.
function readSegments(subtable: Buffer): Range[] {
  const count = subtable.readUInt16BE(6) / 2;
  return Array.from({ length: count }, (_, index) => ({
    first: subtable.readUInt16BE(16 + 2 * (count + index)),
    last: subtable.readUInt16BE(14 + 2 * index),
  }));
}
