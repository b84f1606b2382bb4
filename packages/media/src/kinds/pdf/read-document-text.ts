import type { PdfDocument } from './open-pdf.ts';

/** The text that `document-text` writes for one page. */
export type PageText = { piece: Buffer; hasText: boolean };

/** The text of a document page by page, each under a line with its number. Undefined for a page that is broken. */
export function* readDocumentText(document: PdfDocument): Generator<PageText | undefined> {
  for (let page = 1; page <= document.pageCount; page += 1) {
    const found = document.withPage(page, (opened) => opened.readText());
    yield found === undefined ? undefined : describePage(page, cleanText(found));
  }
}

function describePage(page: number, text: string): PageText {
  const piece = Buffer.from(`--- page ${page} ---\n${text === '' ? '' : `${text}\n`}`);
  return { piece, hasText: text !== '' };
}

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
