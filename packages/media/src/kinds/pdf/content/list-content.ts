import type { PdfLibrary } from '../pdf-functions.ts';

/** The objects of a page of which anything could be missing. */
export type PageContent = {
  /** Text objects that are to be seen, each of another font. */
  texts: readonly number[];
  images: readonly PlacedImage[];
  /** Whether it has lines, areas or shades. */
  hasShapes: boolean;
};

/** `isInForm`: its place is that in a form, and the form's place on the page is not known. */
export type PlacedImage = { object: number; isInForm: boolean };

/** A page with more of them is drawn, and not looked through to its end. */
const MOST_OBJECTS = 50_000;
const MOST_LEVELS = 12;

// As the reader numbers them.
const TEXT = 1;
const PATH = 2;
const IMAGE = 3;
const SHADING = 4;
const FORM = 5;
const INVISIBLE = 3;

type Container = { count: number; at(index: number): number };
type Walk = { texts: Map<number, number>; images: PlacedImage[]; hasShapes: boolean; left: number };

/** Lists the texts and pictures of an open page, those in its forms too. */
export function listContent(library: PdfLibrary, page: number): PageContent {
  const walk: Walk = { texts: new Map(), images: [], hasShapes: false, left: MOST_OBJECTS };
  const top = {
    count: library.FPDFPage_CountObjects(page),
    at: (index: number) => library.pdfium.wasmExports.FPDFPage_GetObject(page, index),
  };
  listIn(library, top, walk, 0);
  return { texts: [...walk.texts.values()], images: walk.images, hasShapes: walk.hasShapes };
}

function listIn(library: PdfLibrary, { count, at }: Container, walk: Walk, level: number): void {
  const bare = library.pdfium.wasmExports;
  for (let index = 0; index < count && walk.left > 0; index += 1) {
    walk.left -= 1;
    const object = at(index);
    const type = bare.FPDFPageObj_GetType(object);
    walk.hasShapes ||= type === PATH || type === SHADING;
    if (type === IMAGE) walk.images.push({ object, isInForm: level > 0 });
    if (type === TEXT && bare.FPDFTextObj_GetTextRenderMode(object) !== INVISIBLE)
      walk.texts.set(bare.FPDFTextObj_GetFont(object), object);
    if (type !== FORM || level === MOST_LEVELS) continue;
    const form = {
      count: library.FPDFFormObj_CountObjects(object),
      at: (place: number) => bare.FPDFFormObj_GetObject(object, place),
    };
    listIn(library, form, walk, level + 1);
  }
}
