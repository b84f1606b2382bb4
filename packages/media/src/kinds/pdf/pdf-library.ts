import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { keepLibrary } from '../../library/keep-library.ts';
import type { FontServer } from './fonts/serve-fonts.ts';
import type { PdfLibrary } from './pdf-functions.ts';

/** The reader with what gives it fonts. */
export type PdfReader = { library: PdfLibrary; fonts: FontServer };

/** The reader of PDF. It sees no file system and no network, and no fonts but its own and those that we give it. */
export const pdfReader = keepLibrary<PdfReader>(async () => {
  const { init } = await import('@embedpdf/pdfium');
  // It looks for fonts that may be installed: a worker that reads no PDF does without.
  const { serveFonts } = await import('./fonts/serve-fonts.ts');
  // Named so that the bundle takes it along.
  const program = fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm'));
  const wasmBinary = new Uint8Array(readFileSync(program)).buffer;
  const library = (await init({ wasmBinary })) as unknown as PdfLibrary;
  library.PDFiumExt_Init();
  return { library, fonts: serveFonts(library) };
});
