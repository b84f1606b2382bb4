import { fileURLToPath } from 'node:url';
import type { PDFiumModule } from '@hyzyla/pdfium';
import { keepLibrary } from '../../library/keep-library.ts';

/** With functions that the package has and its types do not. */
export type PdfLibrary = Awaited<ReturnType<typeof PDFiumModule>> & {
  _FPDF_GetFormType(document: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_Flatten(page: number, usage: number): number;
};

/** The reader of PDF. It sees no file system, no network and no fonts but its own. */
export const pdfLibrary = keepLibrary<PdfLibrary>(async () => {
  // Not the package's own classes: they close a page only after drawing it, and tell errors by their text.
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  // Named so that the bundle takes it along.
  const program = fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'));
  const library = (await PDFiumModule({ locateFile: () => program })) as PdfLibrary;
  library._FPDF_InitLibraryWithConfig({});
  return library;
});
