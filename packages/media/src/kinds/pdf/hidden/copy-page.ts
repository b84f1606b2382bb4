import { allocate, type PdfLibrary, withMemory } from '../pdf-functions.ts';

const WORD_BYTES = 4;
const FIRST = 0;

/** A page as a document of its own, with nothing packed but its streams, and not protected; undefined where the reader cannot copy it. */
export function copyPage(library: PdfLibrary, document: number, index: number): Buffer | undefined {
  const target = library.FPDF_CreateNewDocument();
  try {
    const isCopied = withMemory(library, WORD_BYTES, (pointer) => {
      library.pdfium.setValue(pointer, index, 'i32');
      return library.FPDF_ImportPagesByIndex(target, document, pointer, 1, FIRST);
    });
    return isCopied ? saveDocument(library, target) : undefined;
  } finally {
    library.FPDF_CloseDocument(target);
  }
}

function saveDocument(library: PdfLibrary, document: number): Buffer {
  const writer = library.PDFiumExt_OpenFileWriter();
  try {
    library.PDFiumExt_SaveAsCopy(document, writer);
    const sizeBytes = library.PDFiumExt_GetFileWriterSize(writer);
    const pointer = allocate(library, sizeBytes);
    library.PDFiumExt_GetFileWriterData(writer, pointer, sizeBytes);
    const bytes = Buffer.from(library.pdfium.HEAPU8.subarray(pointer, pointer + sizeBytes));
    library.pdfium.wasmExports.free(pointer);
    return bytes;
  } finally {
    library.PDFiumExt_CloseFileWriter(writer);
  }
}
