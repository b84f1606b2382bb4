import type { PageContent } from '../content/list-content.ts';
import { type PdfLibrary, withMemory } from '../pdf-functions.ts';

const SIZE_BYTES = 4;

/** Whether a page has text in a font of Type 3, whose glyphs are drawn by operators: it is in the document, and has no file. */
export const hasOperatorFont = (library: PdfLibrary, { texts }: PageContent): boolean =>
  texts.some((text) => {
    const font = library.FPDFTextObj_GetFont(text);
    return library.FPDFFont_GetIsEmbedded(font) === 1 && measureFile(library, font) === 0;
  });

const measureFile = (library: PdfLibrary, font: number): number =>
  withMemory(library, SIZE_BYTES, (pointer) => {
    library.pdfium.setValue(pointer, 0, 'i32');
    library.FPDFFont_GetFontData(font, 0, 0, pointer);
    return new DataView(library.pdfium.HEAPU8.buffer).getUint32(pointer, true);
  });
