import { isLibraryFailure } from '../../library/keep-library.ts';
import { type PlacedFile, placeFile } from '../../library/wasm-file.ts';
import type { Problem } from '../../worker-protocol.ts';
import { openPdfForm } from './open-pdf-form.ts';
import { type PdfPage, withPdfPage } from './open-pdf-page.ts';
import { type PdfLibrary, pdfLibrary } from './pdf-library.ts';

export type PdfDocument = {
  pageCount: number;
  /** Lets `use` work on a page, from 1; undefined where the document has no such page or it is broken. */
  withPage<T>(page: number, use: (page: PdfPage) => T): T | undefined;
};

type Opened = { library: PdfLibrary; handle: number; pageCount: number };

/** Lets `use` work on a PDF. A problem where it is protected, cut off or broken. Nothing of it stays in memory. */
export async function withPdf<T>(path: string, use: (document: PdfDocument) => T): Promise<T | Problem> {
  const library = await pdfLibrary.load();
  try {
    return usePlaced(library, path, use);
  } catch (error) {
    if (!isLibraryFailure(error)) throw error;
    pdfLibrary.drop();
    return describeDamage('The reader gave up on the document.');
  }
}

/** The problem of a document that is not whole. */
export function describeDamage(diagnostic: string): Problem {
  return { code: 'attachment_corrupt', diagnostic };
}

function usePlaced<T>(library: PdfLibrary, path: string, use: (document: PdfDocument) => T): T | Problem {
  const file = placeFile(path, { allocate: library.wasmExports.malloc, bytes: () => library.HEAPU8 });
  if (file === undefined) return describeDamage('The document is too large to be read.');
  try {
    return useOpened(library, file, use);
  } finally {
    library.wasmExports.free(file.pointer);
  }
}

function useOpened<T>(library: PdfLibrary, file: PlacedFile, use: (document: PdfDocument) => T): T | Problem {
  const handle = library._FPDF_LoadMemDocument(file.pointer, file.sizeBytes, 0);
  if (handle === 0) return describeRefusal(library._FPDF_GetLastError());
  try {
    // What is cut off the reader repairs by leaving out what it does not find.
    if (!hasEndMarker(library, file)) return describeDamage('The end of the document is missing.');
    const pageCount = library._FPDF_GetPageCount(handle);
    if (pageCount < 1) return describeDamage('The document has no pages.');
    return usePages({ library, handle, pageCount }, use);
  } finally {
    library._FPDF_CloseDocument(handle);
  }
}

function usePages<T>({ library, handle, pageCount }: Opened, use: (document: PdfDocument) => T): T {
  const form = openPdfForm(library, handle);
  try {
    return use({
      pageCount,
      withPage: (page, usePage) => withPdfPage({ library, document: handle, form, index: page - 1 }, usePage),
    });
  } finally {
    form?.close();
  }
}

const endMarker = '%%EOF';
const endMarkerRangeBytes = 1024;

// The marker is in the last 1024 bytes; what transports append, blanks and zeros, does not count.
function hasEndMarker(library: PdfLibrary, { pointer, sizeBytes }: PlacedFile): boolean {
  const bytes = Buffer.from(library.HEAPU8.buffer, pointer, sizeBytes);
  let end = sizeBytes;
  while (end > 0 && (bytes[end - 1] ?? 0) <= 0x20) end -= 1;
  return bytes.subarray(Math.max(0, end - endMarkerRangeBytes), end).includes(endMarker);
}

// As the reader counts its errors.
const passwordError = 4;
const securityError = 5;

function describeRefusal(error: number): Problem {
  if (error !== passwordError && error !== securityError) return describeDamage('The document cannot be parsed.');
  const diagnostic =
    error === passwordError ? 'A password is needed to open it.' : 'It is protected in a way that is not known.';
  return { code: 'attachment_encrypted', diagnostic };
}
