import type { WrappedPdfiumModule } from '@embedpdf/pdfium';

/** The functions of the reader, and its memory. */
export type PdfLibrary = Omit<WrappedPdfiumModule, 'pdfium'> & {
  pdfium: {
    HEAPU8: Uint8Array;
    wasmExports: { malloc(sizeBytes: number): number; free(pointer: number): void };
    addFunction(call: (...words: number[]) => number, signature: string): number;
    setValue(pointer: number, value: number, type: 'i32'): void;
  };
};

/** Memory of the reader. It has to be freed. */
export function allocate(library: PdfLibrary, sizeBytes: number): number {
  const pointer = library.pdfium.wasmExports.malloc(sizeBytes);
  if (pointer === 0) throw new RangeError('The reader has no memory left.');
  return pointer;
}
