import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A part of a text with the length of all of it, in characters. */
export type TextWindow = { text: string; totalCharacters: number };

/** Reads `length` characters of a UTF-8 file from `offset` on, in memory that does not grow with the file. */
export async function readTextWindow(
  path: string,
  { offset, length }: { offset: number; length: number },
): Promise<TextWindow> {
  const taken: string[] = [];
  let totalCharacters = 0;
  for await (const piece of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const characters = Array.from(piece);
    const from = Math.max(0, offset - totalCharacters);
    const to = Math.min(characters.length, offset + length - totalCharacters);
    if (from < to) taken.push(characters.slice(from, to).join(''));
    totalCharacters += characters.length;
  }
  return { text: taken.join(''), totalCharacters };
}

/** The offset, in characters, at which the text of a document's page begins; undefined if there is no such page. */
export async function findPageOffset(path: string, page: number): Promise<number | undefined> {
  let offset = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line === `--- page ${page} ---`) return offset;
    offset += Array.from(line).length + 1;
  }
  return undefined;
}
