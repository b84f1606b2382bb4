const headBytes = 1024;

/** PDF, by its beginning. Readers of PDF forgive blanks before the magic number. */
export function sniffPdf(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, headBytes));
  return /^(?:\s*|\xef\xbb\xbf)%PDF-/.test(text) ? 'application/pdf' : undefined;
}
