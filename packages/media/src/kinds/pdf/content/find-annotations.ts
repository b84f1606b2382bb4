import type { PdfLibrary } from '../pdf-functions.ts';

// As the reader numbers them: those that are shown, and that it draws only by an appearance of their own.
const FREE_TEXT = 3;
const LINE = 4;
const POLYGON = 7;
const POLYLINE = 8;
const STAMP = 13;
const CARET = 14;
const shown = new Set([FREE_TEXT, LINE, POLYGON, POLYLINE, STAMP, CARET]);

const HIDDEN = 0x02;
const NO_VIEW = 0x20;
const NORMAL = 0;
/** An empty string, with its end. */
const EMPTY_BYTES = 2;
const MOST_ANNOTATIONS = 5_000;

/** Whether a page has an annotation for people that has no appearance, and so is not drawn. */
export const hasBareAnnotation = (library: PdfLibrary, page: number): boolean =>
  hasAnnotation(
    library,
    page,
    (annotation) => isShown(library, annotation) && library.FPDFAnnot_GetAP(annotation, NORMAL, 0, 0) <= EMPTY_BYTES,
  );

/** Whether a page has an annotation that is not shown on a screen. */
export const hasUnseenAnnotation = (library: PdfLibrary, page: number): boolean =>
  hasAnnotation(library, page, (annotation) => (library.FPDFAnnot_GetFlags(annotation) & NO_VIEW) !== 0);

function hasAnnotation(library: PdfLibrary, page: number, isAsked: (annotation: number) => boolean): boolean {
  const count = Math.min(MOST_ANNOTATIONS, library.FPDFPage_GetAnnotCount(page));
  for (let index = 0; index < count; index += 1) {
    const annotation = library.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const isFound = isAsked(annotation);
    library.FPDFPage_CloseAnnot(annotation);
    if (isFound) return true;
  }
  return false;
}

function isShown(library: PdfLibrary, annotation: number): boolean {
  if ((library.FPDFAnnot_GetFlags(annotation) & (HIDDEN | NO_VIEW)) !== 0) return false;
  return shown.has(library.FPDFAnnot_GetSubtype(annotation));
}
