import type { PdfLibrary } from '../pdf-functions.ts';

type Place = { library: PdfLibrary; document: number; index: number };

const FOR_DISPLAY = 0;
const FLATTENED = 1;

/**
 * Makes what fields and annotations show a part of a page, only in memory, and lets `use` work on it: it has to be loaded again for that. Undefined where they
 * show nothing.
 */
export function withFlattened<T>(
  { library, document, index }: Place,
  page: number,
  use: (page: number) => T,
): T | undefined {
  const isChanged =
    library.FPDFPage_GetAnnotCount(page) > 0 && library.FPDFPage_Flatten(page, FOR_DISPLAY) === FLATTENED;
  const handle = isChanged ? library.FPDF_LoadPage(document, index) : 0;
  if (handle === 0) return undefined;
  try {
    return use(handle);
  } finally {
    library.FPDF_ClosePage(handle);
  }
}
