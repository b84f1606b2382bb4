import { readLatin1 } from './read-latin1.ts';

const headBytes = 1024;

/** PDF, by its beginning. Readers of PDF forgive blanks before the magic number. */
export function sniffPdf(head: Uint8Array): string | undefined {
  const text = readLatin1(head.subarray(0, headBytes));
  return /^(?:\s*|\xef\xbb\xbf)%PDF-/.test(text) ? 'application/pdf' : undefined;
}
