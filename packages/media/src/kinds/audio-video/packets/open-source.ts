import { readSync } from 'node:fs';
import type { CustomSource } from 'mediabunny';
import type { Mend } from './mend-matroska.ts';

type Library = typeof import('mediabunny');

// A parser that asks again and again for the same bytes will ask for ever.
const mostRepeats = 1000;

/**
 * A file for the parser that ends endless reading: it throws when the time is up, or when the parser goes round in circles. It detects that only if the parser
 * keeps nothing of its reads and so asks for each piece: `cacheBytes` 0. The parser sees the file with its mend.
 */
export function openSource(parser: Library, file: SourceFile): CustomSource {
  let last = -1;
  let repeats = 0;
  return new parser.CustomSource({
    getSize: () => file.mend?.sizeBytes ?? file.sizeBytes,
    read(start, end) {
      repeats = start === last ? repeats + 1 : 0;
      last = start;
      if (repeats > mostRepeats) throw new Error('The parser goes round in circles.');
      if (performance.now() > file.until) throw new Error('The parser takes too long.');
      const bytes = new Uint8Array(end - start);
      const read = bytes.subarray(0, readSync(file.descriptor, bytes, 0, bytes.length, start));
      if (file.mend) overlay(read, start, file.mend);
      return read;
    },
    maxCacheSize: file.cacheBytes,
    prefetchProfile: file.cacheBytes === 0 ? 'none' : 'fileSystem',
    handleUnhandledError: () => undefined,
  });
}

function overlay(read: Uint8Array, start: number, { at, bytes }: Mend): void {
  for (const [index, byte] of bytes.entries()) {
    const place = at + index - start;
    if (place >= 0 && place < read.length) read[place] = byte;
  }
}

type SourceFile = {
  descriptor: number;
  sizeBytes: number;
  cacheBytes: number;
  until: number;
  mend?: Mend | undefined;
};
