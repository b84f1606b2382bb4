import { isLibraryFailure } from '../../library/keep-library.ts';
import { type PlacedFile, placeFile } from '../../library/wasm-file.ts';
import type { Problem } from '../../worker-protocol.ts';
import type { FallbackFont } from './fonts/fallback-fonts.ts';
import { openPdfForm } from './open-pdf-form.ts';
import { type PdfPage, withPdfPage } from './open-pdf-page.ts';
import type { PdfLibrary } from './pdf-functions.ts';
import { type PdfReader, pdfReader } from './pdf-library.ts';
import { isOpenedWrongly, openProtected } from './protection/open-protected.ts';

export type PdfDocument = {
  pageCount: number;
  /** Lets `use` work on a page, from 1; undefined where the document has no such page or it is broken. */
  withPage<T>(page: number, use: (page: PdfPage) => T): T | undefined;
};

type Opened = PdfReader & { handle: number; pageCount: number; isCopyable: boolean };

/** A copy of a page is in memory several times. */
const MOST_COPYABLE_BYTES = 32 * 1024 * 1024;

/**
 * Lets `use` work on a PDF. A problem if it is protected, cut off or broken. Nothing of it stays in memory. `fallbacks` are used for all text whose font is
 * not in the document.
 */
export async function withPdf<T>(
  path: string,
  use: (document: PdfDocument) => T,
  fallbacks: readonly FallbackFont[] = [],
): Promise<T | Problem> {
  const reader = await pdfReader.load();
  reader.fonts.offered = fallbacks;
  try {
    return usePlaced(reader, path, use);
  } catch (error) {
    if (!isLibraryFailure(error)) throw error;
    pdfReader.drop();
    return describeDamage('The reader gave up on the document.');
  }
}

/** The problem of a document that is not whole. */
export function describeDamage(diagnostic: string): Problem {
  return { code: 'attachment_corrupt', diagnostic };
}

function usePlaced<T>(reader: PdfReader, path: string, use: (document: PdfDocument) => T): T | Problem {
  const { library } = reader;
  const file = placeFile(path, { allocate: library.pdfium.wasmExports.malloc, bytes: () => library.pdfium.HEAPU8 });
  if (file === undefined) return describeDamage('The document is too large to be read.');
  try {
    return useOpened(reader, file, use);
  } finally {
    library.pdfium.wasmExports.free(file.pointer);
  }
}

function useOpened<T>(reader: PdfReader, file: PlacedFile, use: (document: PdfDocument) => T): T | Problem {
  const { library } = reader;
  const handle = openDocument(library, file);
  if (typeof handle === 'object') return handle;
  try {
    // The reader repairs a truncated document by leaving out whatever it does not find.
    if (!hasEndMarker(library, file)) return describeDamage('The end of the document is missing.');
    const pageCount = library.FPDF_GetPageCount(handle);
    if (pageCount < 1) return describeDamage('The document has no pages.');
    return usePages({ ...reader, handle, pageCount, isCopyable: file.sizeBytes <= MOST_COPYABLE_BYTES }, use);
  } finally {
    library.FPDF_CloseDocument(handle);
  }
}

function openDocument(library: PdfLibrary, file: PlacedFile): number | Problem {
  const open = () => library.FPDF_LoadMemDocument(file.pointer, file.sizeBytes, '');
  const close = (opened: number) => library.FPDF_CloseDocument(opened);
  const placed = { bytes: () => viewFile(library, file), open, close };
  const handle = open();
  if (handle !== 0) {
    const isProtected = library.FPDF_GetSecurityHandlerRevision(handle) !== NOT_PROTECTED;
    if (!isProtected || !isOpenedWrongly(placed)) return handle;
    close(handle);
    return openProtected(placed) ?? describeProtection(securityError);
  }
  const error = library.FPDF_GetLastError();
  if (error !== passwordError && error !== securityError) return describeDamage('The document cannot be parsed.');
  return openProtected(placed) ?? describeProtection(error);
}

function viewFile(library: PdfLibrary, { pointer, sizeBytes }: PlacedFile): Buffer {
  return Buffer.from(library.pdfium.HEAPU8.buffer, pointer, sizeBytes);
}

function usePages<T>({ handle, pageCount, ...opened }: Opened, use: (document: PdfDocument) => T): T {
  const { library } = opened;
  const form = openPdfForm(library, handle);
  try {
    return use({
      pageCount,
      withPage: (page, usePage) => withPdfPage({ ...opened, document: handle, form, index: page - 1 }, usePage),
    });
  } finally {
    form?.close();
  }
}

const endMarker = '%%EOF';
const endMarkerRangeBytes = 1024;

// The marker is in the last 1024 bytes; what transports append, blanks and zeros, does not count.
function hasEndMarker(library: PdfLibrary, file: PlacedFile): boolean {
  const bytes = viewFile(library, file);
  let end = file.sizeBytes;
  while (end > 0 && (bytes[end - 1] ?? 0) <= 0x20) end -= 1;
  return bytes.subarray(Math.max(0, end - endMarkerRangeBytes), end).includes(endMarker);
}

const NOT_PROTECTED = -1;

// As the reader counts its errors.
const passwordError = 4;
const securityError = 5;

function describeProtection(error: number): Problem {
  const diagnostic =
    error === passwordError ? 'A password is needed to open it.' : 'It is protected in a way that is not known.';
  return { code: 'attachment_encrypted', diagnostic };
}
