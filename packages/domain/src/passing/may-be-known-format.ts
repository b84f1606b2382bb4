import { readLatin1 } from '../file-type/read-latin1.ts';
import { sniffMediaType } from '../file-type/sniff-media-type.ts';
import { sniffPdf } from '../file-type/sniff-pdf.ts';
import { isTextFormat } from '../file-type/text/name-text-type.ts';
import { knownRuns, mayBeMpeg, mayBeOldTar } from './known-beginnings.ts';

const utf8Mark = '\xef\xbb\xbf';
const headBytes = 4100;

/**
 * Whether inspection may find a format in a file that begins so, by a magic number or by a parser. False: it takes the file for text or
 * for bytes of no known type. `head` is the first 64 KiB.
 */
export function mayBeKnownFormat(head: Uint8Array): boolean {
  const sniffed = sniffPdf(head) ?? sniffMediaType(head);
  if (sniffed !== undefined && !isTextFormat(sniffed)) return true;
  // Inspection compares a short file as though zeros followed it: the two bytes 00 01 are a font to it.
  const text = readLatin1(head.subarray(0, headBytes)).padEnd(headBytes, '\0');
  const isFound = (begun: string) =>
    mayBeMpeg(begun) || mayBeOldTar(begun) || knownRuns.some(([at, bytes]) => begun.startsWith(bytes, at));
  // Magic numbers count behind a byte order mark, too.
  return isFound(text) || hasLateRun(head) || (text.startsWith(utf8Mark) && isFound(text.slice(utf8Mark.length)));
}

function hasLateRun(head: Uint8Array): boolean {
  return knownRuns.some(
    ([at, bytes]) => at + bytes.length > headBytes && readLatin1(head.subarray(at, at + bytes.length)) === bytes,
  );
}
