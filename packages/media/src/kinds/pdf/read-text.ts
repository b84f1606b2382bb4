import { allocate, type PdfLibrary } from './pdf-functions.ts';

/** The text of a page, as the reader holds it open. */
export type OpenText = {
  handle: number;
  text: string;
  /** Characters; some are two units of `text`. */
  count: number;
};

export function readText(library: PdfLibrary, page: number): string {
  return withText(library, page, ({ text }) => text) ?? '';
}

/** Lets `use` look into the text of a page, and closes it; undefined where the reader cannot open it. */
export function withText<T>(library: PdfLibrary, page: number, use: (text: OpenText) => T): T | undefined {
  const handle = library.FPDFText_LoadPage(page);
  if (handle === 0) return undefined;
  try {
    const count = library.FPDFText_CountChars(handle);
    return use({ handle, count, text: copyText(library, handle, count) });
  } finally {
    library.FPDFText_ClosePage(handle);
  }
}

function copyText(library: PdfLibrary, handle: number, count: number): string {
  if (count <= 0) return '';
  const pointer = allocate(library, (count * 2 + 1) * 2); // a character may be two units
  try {
    const units = library.FPDFText_GetText(handle, 0, count, pointer) - 1; // the last one ends the string
    const bytes = library.pdfium.HEAPU8.subarray(pointer, pointer + Math.max(0, units) * 2);
    return new TextDecoder('utf-16le').decode(bytes);
  } finally {
    library.pdfium.wasmExports.free(pointer);
  }
}
