import { createPieceDecoder } from '@attache/domain/text-decoder';

type Bytes = readonly number[];

const tables = new Map<string, Map<string, Bytes>>();

/** A text in an encoding of one or two bytes a character, and what of it the encoding can say: signs that it lacks are left out. */
export function encodeAs(text: string, encoding: string): { text: string; bytes: Buffer } {
  const table = tables.get(encoding) ?? invert(encoding);
  tables.set(encoding, table);
  const chars = [...text].filter((char) => table.has(char));
  return { text: chars.join(''), bytes: Buffer.from(chars.flatMap((char) => table.get(char) ?? [])) };
}

/** The decoder's own table, read backwards. */
function invert(encoding: string): Map<string, Bytes> {
  const table = new Map<string, Bytes>();
  for (let first = 0xff; first >= 0; first -= 1) {
    const char = decode([first], encoding);
    if (char !== undefined) table.set(char, [first]);
    else for (let second = 0xfe; second >= 0x40; second -= 1) note(table, [first, second], encoding);
  }
  return table;
}

function note(table: Map<string, Bytes>, bytes: Bytes, encoding: string): void {
  const char = decode(bytes, encoding);
  if (char !== undefined && [...char].length === 1 && !table.has(char)) table.set(char, bytes);
}

function decode(bytes: Bytes, encoding: string): string | undefined {
  try {
    return createPieceDecoder(encoding).decode(Uint8Array.from(bytes)) || undefined;
  } catch {
    return undefined;
  }
}
