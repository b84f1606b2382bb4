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

const JPEG_END = Buffer.from([0xff, 0xd9]);
/** A program may write something behind a picture. */
const TAIL_BYTES = 4096;

/** Whether a JPEG has its end; zeros and blanks behind it do not count. */
export function hasJpegEnd(library: PdfLibrary, image: number): boolean {
  const sizeBytes = library.FPDFImageObj_GetImageDataDecoded(image, 0, 0);
  return withMemory(library, sizeBytes, (pointer) => {
    library.FPDFImageObj_GetImageDataDecoded(image, pointer, sizeBytes);
    const bytes = readMemory(library, pointer, sizeBytes);
    let end = bytes.length;
    while (end > 0 && (bytes[end - 1] ?? 0) <= 0x20) end -= 1;
    return bytes.subarray(Math.max(0, end - TAIL_BYTES), end).includes(JPEG_END);
  });
}

const METADATA_BYTES = 28;
const BITS_AT = 16;

/** A share of a picture that may be missing without being noticed. */
export const NOTICED = 0.02;

/** Whether a noticeable part of a picture's pixels is missing from its unpacked data. */
export function endsEarly(library: PdfLibrary, page: number, image: number): boolean {
  return withMemory(library, METADATA_BYTES, (pointer) => {
    if (!library.FPDFImageObj_GetImageMetadata(image, page, pointer)) return false;
    const metadata = readMemory(library, pointer, METADATA_BYTES);
    const [width, height, bits] = [metadata.readUInt32LE(0), metadata.readUInt32LE(4), metadata.readUInt32LE(BITS_AT)];
    const sizeBytes = library.FPDFImageObj_GetImageDataDecoded(image, 0, 0);
    const measure = (stored: number) => Math.ceil((width * stored) / 8) * height;
    return (
      sizeBytes < measure(bits) * (1 - NOTICED) && !listNarrower(bits).some((stored) => sizeBytes === measure(stored))
    );
  });
}

/** The bits that a pixel may have in the data where the reader makes so many of it: it widens grey and palettes, and adds transparency. */
const listNarrower = (bits: number): number[] => ({ 8: [1, 2, 4], 32: [4, 8, 24] })[bits] ?? [];

/** Whether the reader gets pixels out of a picture. It decodes it for that. */
export function hasPixels(library: PdfLibrary, image: number): boolean {
  const bitmap = library.FPDFImageObj_GetBitmap(image);
  if (bitmap === 0) return false;
  library.FPDFBitmap_Destroy(bitmap);
  return true;
}

const readMemory = ({ pdfium }: PdfLibrary, pointer: number, sizeBytes: number): Buffer =>
  Buffer.from(pdfium.HEAPU8.buffer, pointer, Math.max(0, sizeBytes));
