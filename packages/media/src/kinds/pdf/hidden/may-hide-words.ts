import type { PageContent } from '../content/list-content.ts';
import { type PdfLibrary, withMemory } from '../pdf-functions.ts';

const NORMAL = 0;
const MOST_ANNOTATIONS = 5_000;

/** Whether a page may show words that the reader does not list: those of annotations and fields, and glyphs that are drawn by operators. */
export const mayHideWords = (library: PdfLibrary, page: number, { texts }: PageContent): boolean =>
  texts.some((text) => isDrawnByOperators(library, library.FPDFTextObj_GetFont(text))) || hasAppearance(library, page);

const SIZE_BYTES = 4;

/** A font that is in the document and has no file. */
const isDrawnByOperators = (library: PdfLibrary, font: number): boolean =>
  library.FPDFFont_GetIsEmbedded(font) === 1 &&
  withMemory(library, SIZE_BYTES, (pointer) => {
    library.pdfium.setValue(pointer, 0, 'i32');
    const isRead = library.FPDFFont_GetFontData(font, 0, 0, pointer);
    return !isRead || new DataView(library.pdfium.HEAPU8.buffer).getUint32(pointer, true) === 0;
  });

function hasAppearance(library: PdfLibrary, page: number): boolean {
  const count = Math.min(MOST_ANNOTATIONS, library.FPDFPage_GetAnnotCount(page));
  for (let index = 0; index < count; index += 1) {
    const annotation = library.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const isFound = library.EPDFAnnot_HasAppearanceStream(annotation, NORMAL);
    library.FPDFPage_CloseAnnot(annotation);
    if (isFound) return true;
  }
  return false;
}
