import type { PdfDocument } from './open-pdf.ts';

/** The text that `document-text` writes for one page. */
export type PageText = { piece: Buffer; hasText: boolean; isBroken: boolean };

/** The text of a document page by page, each under a line with its number. */
export function* readDocumentText(document: PdfDocument): Generator<PageText> {
  for (let page = 1; page <= document.pageCount; page += 1)
    yield describePageText(
      page,
      document.withPage(page, (opened) => opened.readText()),
    );
}

/** The piece of a document's text for one page; `text` is undefined for a page that is broken. */
export function describePageText(page: number, text: string | undefined): PageText {
  const cleaned = text === undefined ? '' : cleanText(text);
  const shown = text === undefined ? BROKEN : cleaned;
  const piece = Buffer.from(`--- page ${page} ---\n${shown === '' ? '' : `${shown}\n`}`);
  return { piece, hasText: cleaned !== '', isBroken: text === undefined };
}

const BROKEN = '[This page of the document is broken and cannot be read.]';

/** Text as a file may hold it: one spelling of line ends, and nothing that is neither a character nor a blank. */
export function cleanText(text: string): string {
  return (
    text
      .replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
      // The reader's signs for a hyphen at which a word is broken.
      .replaceAll('\u0002', '-')
      .replaceAll('\ufffe', '-')
      .replaceAll(/(?![\n\t])\p{Cc}|[\ufeff\uffff]/gu, '')
      .trimEnd()
  );
}
