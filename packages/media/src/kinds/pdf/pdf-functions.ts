import type { WrappedPdfiumModule } from '@embedpdf/pdfium';

/** The functions of the reader, and its memory. */
export type PdfLibrary = Omit<WrappedPdfiumModule, 'pdfium'> & {
  pdfium: {
    HEAPU8: Uint8Array;
    /** Some functions as they are: for those that are called for every object of a page, the wrapper takes several times as long as the call. */
    wasmExports: Bare & { malloc(sizeBytes: number): number; free(pointer: number): void };
    addFunction(call: (...words: number[]) => number, signature: string): number;
    setValue(pointer: number, value: number, type: 'i32'): void;
  };
};

type Bare = Pick<
  WrappedPdfiumModule,
  | 'FPDFPage_GetObject'
  | 'FPDFFormObj_GetObject'
  | 'FPDFPageObj_GetType'
  | 'FPDFTextObj_GetTextRenderMode'
  | 'FPDFTextObj_GetFont'
>;

/** Memory of the reader. It has to be freed. */
export function allocate(library: PdfLibrary, sizeBytes: number): number {
  const pointer = library.pdfium.wasmExports.malloc(sizeBytes);
  if (pointer === 0) throw new RangeError('The reader has no memory left.');
  return pointer;
}

/** Lets `use` work with memory of the reader, and frees it. */
export function withMemory<T>(library: PdfLibrary, sizeBytes: number, use: (pointer: number) => T): T {
  const pointer = allocate(library, Math.max(1, sizeBytes));
  try {
    return use(pointer);
  } finally {
    library.pdfium.wasmExports.free(pointer);
  }
}

const WORD_BYTES = 4;
type Four = [number, number, number, number];

/** Calls a function that writes its four results; undefined if it says that it wrote none. */
export const readFour = (
  library: PdfLibrary,
  { call, read }: { call: (...pointers: Four) => boolean; read: (view: DataView, at: number) => number },
): Four | undefined =>
  withMemory(library, 4 * WORD_BYTES, (pointer) => {
    const places = [0, 1, 2, 3].map((index) => index * WORD_BYTES) as Four;
    if (!call(...(places.map((at) => pointer + at) as Four))) return undefined;
    const view = new DataView(library.pdfium.HEAPU8.buffer, pointer, 4 * WORD_BYTES);
    return places.map((at) => read(view, at)) as Four;
  });

export type Bounds = { left: number; bottom: number; right: number; top: number };

/** The rectangle of an object, in points of the page or form that it is in. */
export function readBounds(library: PdfLibrary, object: number): Bounds | undefined {
  const four = readFour(library, {
    call: (...pointers) => library.FPDFPageObj_GetBounds(object, ...pointers),
    read: (view, at) => view.getFloat32(at, true),
  });
  return four && { left: four[0], bottom: four[1], right: four[2], top: four[3] };
}
