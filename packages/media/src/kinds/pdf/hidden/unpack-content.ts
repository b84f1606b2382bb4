import { constants, inflateRawSync } from 'node:zlib';
import type { PageObject, PageObjects } from './page-objects.ts';

/** The operators of a stream. `isCut`: some of it is missing or cannot be read. `bytes` is undefined where it is not unpacked here. */
export type Content = { bytes: Buffer | undefined; isCut: boolean };

const MOST_BYTES = 32 * 1024 * 1024;

const flate = new Set(['/FlateDecode', '/Fl']);
/** Others that the reader knows. */
const known = new Set([
  ...['/LZWDecode', '/LZW', '/RunLengthDecode', '/RL', '/ASCII85Decode', '/A85', '/ASCIIHexDecode', '/AHx', '/Crypt'],
]);

/** Unpacks a stream with drawing operators. */
export function unpackContent(objects: PageObjects, { entries, data = Buffer.alloc(0) }: PageObject): Content {
  const filters = objects.list(entries.get('/Filter')).filter((name) => name !== 'null');
  let content: Content = { bytes: data, isCut: false };
  for (const filter of filters) {
    if (flate.has(filter)) content = content.bytes === undefined ? content : inflate(content.bytes, content.isCut);
    else content = { bytes: undefined, isCut: content.isCut || !known.has(filter) };
  }
  return content;
}

const HEAD_BYTES = 2;
/** How a packer ends what it sends before its end. */
const FLUSHED = Buffer.from([0, 0, 0xff, 0xff]);

// Without the checksum behind the data, which programs leave out and readers forgive.
function inflate(data: Buffer, isCut: boolean): Content {
  if (data.length === 0) return { bytes: data, isCut };
  if (data.length < HEAD_BYTES || data.readUInt16BE(0) % 31 !== 0) return { bytes: undefined, isCut: true };
  const finishFlush = endsFlushed(data) ? constants.Z_SYNC_FLUSH : constants.Z_FINISH;
  try {
    return { bytes: inflateRawSync(data.subarray(HEAD_BYTES), { maxOutputLength: MOST_BYTES, finishFlush }), isCut };
  } catch (error) {
    return { bytes: undefined, isCut: isCut || !(error instanceof RangeError) };
  }
}

const endsFlushed = (data: Buffer): boolean => {
  let end = data.length;
  while (end > 0 && [0x0a, 0x0d].includes(data[end - 1] ?? 0)) end -= 1;
  return data.subarray(Math.max(0, end - FLUSHED.length), end).equals(FLUSHED);
};
