import { allocate, type PdfLibrary } from '../pdf-functions.ts';
import { hasAllScans } from './jpeg-scans.ts';
import { readDecoded } from './picture-data.ts';
import { isContinued, type PixelSums, sumPixels } from './sum-pixels.ts';

const END = Buffer.from([0xff, 0xd9]);
/** A program may write something behind a picture. */
const TAIL_BYTES = 4096;
/** Codes of pixels without a marker among them. */
const MORE = Buffer.from(Array.from({ length: 4096 }, (_, at) => (Math.imul(at + 1, 2_654_435_761) >>> 16) & 0x7f));

/** Whether a noticeable part of a JPEG is missing. One without its end is whole if it takes no more pixels. */
export function isCutJpeg(library: PdfLibrary, image: number): boolean {
  const data = readDecoded(library, image, (bytes) => (hasEnd(bytes) ? undefined : dropHalf(bytes)));
  if (data === undefined) return false;
  if (!hasAllScans(data)) return true;
  const ended = sumJpeg(library, Buffer.concat([data, END]));
  const continued = sumJpeg(library, Buffer.concat([data, MORE, END]));
  return ended === undefined || continued === undefined || isContinued(ended, continued);
}

/** A copy without the first byte of two at its end, which would make a sign of what follows. */
const dropHalf = (bytes: Buffer): Buffer => Buffer.from(bytes.at(-1) === END[0] ? bytes.subarray(0, -1) : bytes);

function hasEnd(bytes: Buffer): boolean {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] ?? 0) <= 0x20) end -= 1;
  return bytes.subarray(Math.max(0, end - TAIL_BYTES), end).includes(END);
}

const NO_PAGES = 0;

function sumJpeg(library: PdfLibrary, jpeg: Buffer): PixelSums | undefined {
  const document = library.FPDF_CreateNewDocument();
  const image = library.FPDFPageObj_NewImageObj(document);
  const pointer = allocate(library, jpeg.length);
  try {
    library.pdfium.HEAPU8.set(jpeg, pointer);
    const isJpeg = library.EPDFImageObj_SetJpeg(NO_PAGES, 0, image, pointer, jpeg.length);
    return isJpeg ? sumPixels(library, image) : undefined;
  } finally {
    library.pdfium.wasmExports.free(pointer);
    library.FPDFPageObj_Destroy(image);
    library.FPDF_CloseDocument(document);
  }
}
