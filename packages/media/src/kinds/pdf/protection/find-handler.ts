import { type PdfDictionary, readDictionary, writeDictionary } from '../pdf-dictionary.ts';

/** The dictionary that says how a document is protected, in the bytes of the document. */
export type ProtectionHandler = {
  entries: PdfDictionary;
  /** Writes other entries over it; false where they are longer, as all else in a document is found by its offset. */
  replace(entries: PdfDictionary): boolean;
  /** Makes the document one that is not protected. */
  remove(): void;
};

const key = '/Encrypt';
const mostHandlerBytes = 8192;

/** Finds it by the last mention, which is that of the newest version; undefined where it is not found. */
export function findHandler(bytes: Buffer): ProtectionHandler | undefined {
  const mentions = listMentions(bytes);
  const last = mentions.at(-1);
  const place = last && (last.object === undefined ? last.end : findObject(bytes, last.object));
  if (place === undefined) return undefined;
  const text = bytes.toString('latin1', place, place + mostHandlerBytes);
  const start = /^[\s\0]*/.exec(text)?.[0].length ?? 0;
  const found = readDictionary(text, start);
  if (found === undefined) return undefined;
  const room = found.end + (/^[\s\0]*/.exec(text.slice(found.end))?.[0].length ?? 0);
  return {
    entries: found.entries,
    replace(entries) {
      const written = writeDictionary(entries);
      if (written.length > room) return false;
      bytes.write(written.padEnd(room), place, 'latin1');
      return true;
    },
    remove() {
      for (const { at } of mentions) bytes.write('X', at + key.length - 1, 'latin1');
    },
  };
}

type Mention = { at: number; end: number; object: string | undefined };

function listMentions(bytes: Buffer): Mention[] {
  const mentions: Mention[] = [];
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) {
    const value = /^[\s\0]*(?:(\d{1,10})\s+(\d{1,5})\s+R|(?=<<))/.exec(
      bytes.toString('latin1', at + key.length, at + 64),
    );
    if (value === null) continue;
    const object = value[1] === undefined ? undefined : `${Number(value[1])} ${Number(value[2])} obj`;
    mentions.push({ at, end: at + key.length, object });
  }
  return mentions;
}

// Behind the head of an object; the last one of its number counts.
function findObject(bytes: Buffer, head: string): number | undefined {
  for (let at = bytes.lastIndexOf(head); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(head, at - 1)) {
    const before = bytes[at - 1] ?? 0x20;
    if (before <= 0x20) return at + head.length;
  }
  return undefined;
}
