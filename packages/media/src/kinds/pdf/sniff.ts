const pdfType = 'application/pdf';

export function isPdf(mimeType: string): boolean {
  return mimeType === pdfType;
}

/** Readers of PDF forgive blanks before the magic number. */
export function sniffPdf(head: Buffer): string | undefined {
  return /^(?:\s*|\xef\xbb\xbf)%PDF-/.test(head.toString('latin1', 0, 1024)) ? pdfType : undefined;
}
