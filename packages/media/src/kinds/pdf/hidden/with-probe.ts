import { allocate } from '../pdf-functions.ts';
import type { PdfReader } from '../pdf-library.ts';

const FIRST_PAGE = 0;

/** Lets `use` work on the page of a probe, and closes it; undefined where the reader cannot open it. */
export function withProbe<T>({ library, fonts }: PdfReader, probe: Buffer, use: (page: number) => T): T | undefined {
  const pointer = allocate(library, probe.length);
  library.pdfium.HEAPU8.set(probe, pointer);
  const document = library.FPDF_LoadMemDocument(pointer, probe.length, '');
  fonts.isLoading = true;
  const page = document === 0 ? 0 : library.FPDF_LoadPage(document, FIRST_PAGE);
  fonts.isLoading = false;
  try {
    return page === 0 ? undefined : use(page);
  } finally {
    if (page !== 0) library.FPDF_ClosePage(page);
    if (document !== 0) library.FPDF_CloseDocument(document);
    library.pdfium.wasmExports.free(pointer);
  }
}
