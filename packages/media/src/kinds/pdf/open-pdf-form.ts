import type { PdfLibrary } from './pdf-functions.ts';

/** The form of an open document: what fields show is no part of the pages, and drawn by this. */
export type PdfForm = {
  handle: number;
  /** Before the document is closed, and after its pages. */
  close(): void;
};

const noForm = 0;

// A structure of callbacks, none of which we set, after its version.
const callbacksBytes = 256;
const callbacksVersion = 2;

/** Opens the form of a document; undefined where it has none. */
export function openPdfForm(library: PdfLibrary, document: number): PdfForm | undefined {
  if (library.FPDF_GetFormType(document) === noForm) return undefined;
  const pointer = library.pdfium.wasmExports.malloc(callbacksBytes);
  library.pdfium.HEAPU8.fill(0, pointer, pointer + callbacksBytes);
  library.pdfium.HEAPU8[pointer] = callbacksVersion;
  const handle = library.FPDFDOC_InitFormFillEnvironment(document, pointer);
  return {
    handle,
    close() {
      library.FPDFDOC_ExitFormFillEnvironment(handle);
      library.pdfium.wasmExports.free(pointer);
    },
  };
}
