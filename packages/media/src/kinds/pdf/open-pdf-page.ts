import type { Raster } from '../image/raster.ts';
import type { PdfForm } from './open-pdf-form.ts';
import type { PdfLibrary } from './pdf-library.ts';

export type PdfPage = {
  /** As shown, after the page's own rotation. */
  widthPoints: number;
  heightPoints: number;
  /** Its own text as the reader finds it, with what fields and notes show. To be read once. */
  readText(): string;
  /** The whole page on white. */
  draw(width: number, height: number): Raster;
};

type Size = { width: number; height: number };
type Place = { library: PdfLibrary; document: number; form: PdfForm | undefined; index: number };

/** Lets `use` work on a page, and closes it; undefined where the document has no such page or it is broken. */
export function withPdfPage<T>(place: Place, use: (page: PdfPage) => T): T | undefined {
  const { library, document, form, index } = place;
  const handle = library._FPDF_LoadPage(document, index);
  if (handle === 0) return undefined;
  if (form) library._FORM_OnAfterLoadPage(handle, form.handle);
  try {
    return use(describePage(place, handle));
  } finally {
    if (form) library._FORM_OnBeforeClosePage(handle, form.handle);
    library._FPDF_ClosePage(handle);
  }
}

function describePage(place: Place, handle: number): PdfPage {
  const { library } = place;
  return {
    widthPoints: library._FPDF_GetPageWidth(handle),
    heightPoints: library._FPDF_GetPageHeight(handle),
    readText: () => readShownText(place, handle),
    draw: (width, height) => draw(place, handle, { width, height }),
  };
}

const forDisplay = 0;
const flattened = 1;

// What fields and notes show becomes text of the page, which then has to be loaded again. Only in memory.
function readShownText({ library, document, index }: Place, page: number): string {
  const isChanged =
    library._FPDFPage_GetAnnotCount(page) > 0 && library._FPDFPage_Flatten(page, forDisplay) === flattened;
  if (!isChanged) return readText(library, page);
  const handle = library._FPDF_LoadPage(document, index);
  if (handle === 0) return readText(library, page);
  try {
    return readText(library, handle);
  } finally {
    library._FPDF_ClosePage(handle);
  }
}

function readText(library: PdfLibrary, page: number): string {
  const text = library._FPDFText_LoadPage(page);
  if (text === 0) return '';
  try {
    return copyText(library, text, library._FPDFText_CountChars(text));
  } finally {
    library._FPDFText_ClosePage(text);
  }
}

function copyText(library: PdfLibrary, text: number, count: number): string {
  if (count <= 0) return '';
  const pointer = allocate(library, (count * 2 + 1) * 2); // a character may be two units
  try {
    const units = library._FPDFText_GetText(text, 0, count, pointer) - 1; // the last one ends the string
    const bytes = library.HEAPU8.subarray(pointer, pointer + Math.max(0, units) * 2);
    return new TextDecoder('utf-16le').decode(bytes);
  } finally {
    library.wasmExports.free(pointer);
  }
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
    const bitmap = library._FPDFBitmap_CreateEx(width, height, formatBgr, pointer, width * channels);
    try {
      library._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
      library._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, drawAnnotations | drawRedFirst);
      if (form) library._FPDF_FFLDraw(form.handle, bitmap, page, 0, 0, width, height, 0, drawRedFirst);
    } finally {
      library._FPDFBitmap_Destroy(bitmap);
    }
    const pixels = Buffer.from(library.HEAPU8.subarray(pointer, pointer + sizeBytes));
    return { pixels, width, height, channels };
  } finally {
    library.wasmExports.free(pointer);
  }
}

function allocate(library: PdfLibrary, sizeBytes: number): number {
  const pointer = library.wasmExports.malloc(sizeBytes);
  if (pointer === 0) throw new RangeError('The reader has no memory left.');
  return pointer;
}
