import { readLatin1 } from './read-latin1.ts';

const headBytes = 1024;
const lateHeadBytes = 4100;

/** PDF, by its beginning. Readers of PDF forgive blanks before the magic number. */
export function sniffPdf(head: Uint8Array): string | undefined {
  const text = readLatin1(head.subarray(0, headBytes));
  return /^(?:\s*|\xef\xbb\xbf)%PDF-/.test(text) ? 'application/pdf' : undefined;
}

// A header alone on its line, then the first object, with nothing but blanks and comments between.
const headerAndObject =
  /%PDF-\d\.\d[ \t]*(?:%[^\r\n]*)?[\r\n](?:\s|%[^\r\n]*[\r\n])*\d{1,10}\s+\d{1,5}\s+obj\s*[<[(/\d]/;

/**
 * PDF behind up to 1024 bytes of anything, where readers still find it: the header of a mail, commands to a printer. It counts where its first object follows it:
 * a log or a letter that mentions `%PDF-1.4` continues with words, and a source that quotes one with an escaped line end. Where all of it is text, it may still
 * be a text that holds a PDF; only the end of the file tells.
 */
export function sniffLatePdf(text: string): string | undefined {
  const at = headerAndObject.exec(text.slice(0, lateHeadBytes))?.index;
  return at !== undefined && at <= headBytes ? 'application/pdf' : undefined;
}
