import { type PdfLibrary, withMemory } from '../pdf-functions.ts';

/** The coding of a picture's data; of several codings the one of its pixels. */
export type PictureCoding = 'none' | 'jpeg' | 'bilevel' | 'jpeg2000' | 'packed' | 'unknown';

// Also as pictures within a page's content write them.
const codings: Readonly<Record<string, PictureCoding>> = {
  DCTDecode: 'jpeg',
  DCT: 'jpeg',
  JBIG2Decode: 'bilevel',
  CCITTFaxDecode: 'bilevel',
  CCF: 'bilevel',
  JPXDecode: 'jpeg2000',
  ...Object.fromEntries(
    [
      'FlateDecode',
      'Fl',
      'LZWDecode',
      'LZW',
      'RunLengthDecode',
      'RL',
      'ASCII85Decode',
      'A85',
      'ASCIIHexDecode',
      'AHx',
      'Crypt',
    ].map((name) => [name, 'packed' as const]),
  ),
};

const NAME_BYTES = 64;

export function readCoding(library: PdfLibrary, image: number): PictureCoding {
  const count = library.FPDFImageObj_GetImageFilterCount(image);
  if (count <= 0) return 'none';
  return withMemory(library, NAME_BYTES, (pointer) => {
    const sizeBytes = library.FPDFImageObj_GetImageFilter(image, count - 1, pointer, NAME_BYTES);
    // The last byte ends the string.
    const name = readMemory(library, pointer, Math.min(sizeBytes, NAME_BYTES) - 1).toString('latin1');
    return codings[name] ?? 'unknown';
  });
}

/** Bytes of a picture as they are stored; 0 where there are none. */
export const measureData = (library: PdfLibrary, image: number): number =>
  library.FPDFImageObj_GetImageDataRaw(image, 0, 0);

/** Lets `use` read a picture's data without the codings that are not those of pixels. */
export function readDecoded<T>(library: PdfLibrary, image: number, use: (bytes: Buffer) => T): T {
  const sizeBytes = library.FPDFImageObj_GetImageDataDecoded(image, 0, 0);
  return withMemory(library, sizeBytes, (pointer) => {
    library.FPDFImageObj_GetImageDataDecoded(image, pointer, sizeBytes);
    return use(readMemory(library, pointer, sizeBytes));
  });
}

const METADATA_BYTES = 28;
const BITS_AT = 16;

/** Its pixels, each of so many bits when the reader draws them; no bits where it cannot. */
type Shape = { width: number; height: number; bits: number };

const readShape = (library: PdfLibrary, page: number, image: number): Shape | undefined =>
  withMemory(library, METADATA_BYTES, (pointer) => {
    if (!library.FPDFImageObj_GetImageMetadata(image, page, pointer)) return undefined;
    const metadata = readMemory(library, pointer, METADATA_BYTES);
    return {
      width: metadata.readUInt32LE(0),
      height: metadata.readUInt32LE(4),
      bits: metadata.readUInt32LE(BITS_AT),
    };
  });

/** Whether the reader finds the head of a picture good. */
export const isReadable = (library: PdfLibrary, page: number, image: number): boolean =>
  (readShape(library, page, image)?.bits ?? 0) > 0;

/** A share of a picture that may be missing without being noticed. */
export const NOTICED = 0.02;

/** Whether a noticeable part of a picture's pixels is missing from its unpacked data. */
export function endsEarly(library: PdfLibrary, page: number, image: number): boolean {
  const shape = readShape(library, page, image);
  if (shape === undefined) return false;
  const { width, height, bits } = shape;
  const sizeBytes = library.FPDFImageObj_GetImageDataDecoded(image, 0, 0);
  const measure = (stored: number) => Math.ceil((width * stored) / 8) * height;
  if (sizeBytes >= measure(bits) * (1 - NOTICED)) return false;
  return !narrower.some((stored) => sizeBytes >= measure(stored) && sizeBytes <= measure(stored) + LINE_END_BYTES);
}

/** The bits that a pixel may have in the data where the reader makes more of it: it widens grey, palettes and inks, and adds transparency. */
const narrower = [1, 2, 3, 4, 6, 8, 12, 16, 24];
/** A program may write so much between the data and the end of its stream. */
const LINE_END_BYTES = 2;

/** Bytes of a pixel by the reader's number of its format. */
const pixelBytes: readonly number[] = [0, 1, 3, 4, 4];

/** Decodes a picture, and lets `use` read its rows; undefined where the reader gets no pixels. */
export function readPixels<T>(library: PdfLibrary, image: number, use: (rows: readonly Buffer[]) => T): T | undefined {
  const bitmap = library.FPDFImageObj_GetBitmap(image);
  if (bitmap === 0) return undefined;
  try {
    const [stride, start] = [library.FPDFBitmap_GetStride(bitmap), library.FPDFBitmap_GetBuffer(bitmap)];
    const rowBytes = library.FPDFBitmap_GetWidth(bitmap) * (pixelBytes[library.FPDFBitmap_GetFormat(bitmap)] ?? 0);
    const height = library.FPDFBitmap_GetHeight(bitmap);
    return use(Array.from({ length: height }, (_, row) => readMemory(library, start + row * stride, rowBytes)));
  } finally {
    library.FPDFBitmap_Destroy(bitmap);
  }
}

const readMemory = ({ pdfium }: PdfLibrary, pointer: number, sizeBytes: number): Buffer =>
  Buffer.from(pdfium.HEAPU8.buffer, pointer, Math.max(0, sizeBytes));
