import type { Raster } from '../image/raster.ts';
import { hasUnseenAnnotation } from './content/find-annotations.ts';
import { findLoss, type Lack, lookAtPage, type PageLook } from './content/page-loss.ts';
import { seeWhole } from './content/see-page.ts';
import { withFlattened } from './hidden/flatten-page.ts';
import { hasOperatorFont } from './hidden/has-operator-font.ts';
import { seeHidden } from './hidden/see-hidden.ts';
import type { PdfForm } from './open-pdf-form.ts';
import { allocate } from './pdf-functions.ts';
import type { PdfReader } from './pdf-library.ts';
import { readText } from './read-text.ts';

export type PdfPage = {
  /** As shown, after the page's own rotation. */
  widthPoints: number;
  heightPoints: number;
  /** Finds what a drawing of it leaves out, as far as that is known without one, and fonts of ours that help. */
  look(): PageLook;
  /** Its own text as the reader finds it, with what fields and annotations show. To be read once, after all else. */
  readText(): string;
  /** Both, in less time and with less thoroughness. */
  inspect(): { lacks: Lack | undefined; text: string };
  /** The whole page on white. */
  draw(width: number, height: number): Raster;
  /** Finds what its drawing left out. */
  findLoss(raster: Raster, look: PageLook): Lack | undefined;
};

type Size = { width: number; height: number };
type Place = PdfReader & {
  document: number;
  form: PdfForm | undefined;
  index: number;
  /** Whether the document is small enough for copies of its pages. */
  isCopyable: boolean;
};

/** Lets `use` work on a page, and closes it; undefined where the document has no such page or it is broken. */
export function withPdfPage<T>(place: Place, use: (page: PdfPage) => T): T | undefined {
  const { library, fonts, document, form, index } = place;
  fonts.isLoading = true;
  const handle = library.FPDF_LoadPage(document, index);
  fonts.isLoading = false;
  if (handle === 0) return undefined;
  if (form) library.FORM_OnAfterLoadPage(handle, form.handle);
  try {
    return use(describePage(place, handle));
  } finally {
    if (form) library.FORM_OnBeforeClosePage(handle, form.handle);
    library.FPDF_ClosePage(handle);
  }
}

function describePage(place: Place, handle: number): PdfPage {
  const { library } = place;
  return {
    widthPoints: library.FPDF_GetPageWidth(handle),
    heightPoints: library.FPDF_GetPageHeight(handle),
    look: () => lookAtPage(place, handle, () => (place.isCopyable ? seeHidden(place, true) : [])),
    readText: () => withFlattened(place, handle, (page) => readText(library, page)) ?? readText(library, handle),
    inspect: () => inspectPage(place, handle),
    draw: (width, height) => draw(place, handle, { width, height }),
    findLoss: (raster, look) => findLoss(library, { page: handle, raster, look }),
  };
}

function inspectPage(place: Place, handle: number): ReturnType<PdfPage['inspect']> {
  const { library, isCopyable } = place;
  let shown: string | undefined;
  const { lacks, text } = lookAtPage(place, handle, (content) => {
    const hidden = isCopyable && hasOperatorFont(library, content) ? seeHidden(place, false) : [];
    const hasUnseen = hasUnseenAnnotation(library, handle);
    const flat = withFlattened(place, handle, (page) => seeWhole(library, page));
    shown = flat?.text;
    return flat === undefined || hasUnseen ? hidden : [...hidden, flat];
  });
  return { lacks, text: shown ?? text };
}

// As the reader numbers them: 3 bytes a pixel, drawn with annotations, red first.
const formatBgr = 2;
const drawAnnotations = 0x01;
const drawRedFirst = 0x10;
const white = 0xff_ff_ff_ff;
const channels = 3;

function draw({ library, form }: Place, page: number, { width, height }: Size): Raster {
  const sizeBytes = width * height * channels;
  const pointer = allocate(library, sizeBytes);
  try {
    const bitmap = library.FPDFBitmap_CreateEx(width, height, formatBgr, pointer, width * channels);
    try {
      library.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
      library.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, drawAnnotations | drawRedFirst);
      if (form) library.FPDF_FFLDraw(form.handle, bitmap, page, 0, 0, width, height, 0, drawRedFirst);
    } finally {
      library.FPDFBitmap_Destroy(bitmap);
    }
    const pixels = Buffer.from(library.pdfium.HEAPU8.subarray(pointer, pointer + sizeBytes));
    return { pixels, width, height, channels };
  } finally {
    library.pdfium.wasmExports.free(pointer);
  }
}
