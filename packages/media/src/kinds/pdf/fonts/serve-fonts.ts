import type { PdfLibrary } from '../pdf-functions.ts';
import { chooseFonts, type FallbackFont, fallbackFonts } from './fallback-fonts.ts';
import { findTable } from './read-characters.ts';

/** The fonts that the reader gets where it looks for one that a document does not hold. */
export type FontServer = {
  /** The fonts for documents opened from now on; without any, the reader draws with those that it has. */
  offered: readonly FallbackFont[];
  /** Whether the reader loads a page now, and asks for the fonts that it names; later it asks for glyphs that these lack. */
  isLoading: boolean;
  /** Chooses the fonts of ours for characters that would not be drawn. */
  choose(characters: readonly string[]): FallbackFont[];
};

// As the reader counts them: a version without a list of all fonts, and eight functions.
const INTERFACE_VERSION = 2;
const WORD_BYTES = 4;
const ANSI_CHARSET = 0;
const NOTHING = 0;

/** Makes the reader ask us for fonts, before it opens a document. */
export function serveFonts({ pdfium, FPDF_SetSystemFontInfo }: PdfLibrary): FontServer {
  const server: FontServer = { isLoading: false, offered: [], choose: chooseFonts };
  const bytesOf = (handle: number) => fallbackFonts[handle - 1]?.read() ?? Buffer.alloc(0);
  const give = (bytes: Buffer, target: number, roomBytes: number) => {
    if (target !== NOTHING && roomBytes >= bytes.length) pdfium.HEAPU8.set(bytes, target);
    return bytes.length;
  };
  // The reader keeps a function with the signature under which it was first given: each needs one of its own.
  const functions: [(...words: number[]) => number, string][] = [
    [() => NOTHING, 'vi'], // Release
    [() => NOTHING, 'vii'], // EnumFonts
    [(_self, _weight, _italic, charset = ANSI_CHARSET) => handleOf(server, charset), 'iiiiiiii'], // MapFont
    [() => NOTHING, 'iii'], // GetFont
    [
      (_self, handle = 0, table = 0, target = 0, roomBytes = 0) =>
        give(findTable(bytesOf(handle), table >>> 0), target, roomBytes),
      'iiiiii',
    ], // GetFontData
    [
      (_self, handle = 0, target = 0, roomBytes = 0) =>
        give(Buffer.from(`${fallbackFonts[handle - 1]?.name ?? ''}\0`), target, roomBytes),
      'iiiii',
    ], // GetFaceName
    [() => ANSI_CHARSET, 'iii'], // GetFontCharset
    [() => NOTHING, 'vii'], // DeleteFont
  ];
  const pointer = pdfium.wasmExports.malloc(WORD_BYTES * (1 + functions.length));
  const words = [INTERFACE_VERSION, ...functions.map(([call, signature]) => pdfium.addFunction(call, signature))];
  words.forEach((word, index) => {
    pdfium.setValue(pointer + WORD_BYTES * index, word, 'i32');
  });
  FPDF_SetSystemFontInfo(pointer);
  return server;
}

/** The font for a text, as its place in the list, from 1. Glyphs that the first font lacks come from the second. */
function handleOf({ isLoading, offered }: FontServer, charset: number): number {
  if (charset !== ANSI_CHARSET) return 1 + fallbackFonts.findIndex((font) => font.charset === charset);
  const font = isLoading ? offered[0] : (offered[1] ?? offered[0]);
  return font === undefined ? NOTHING : 1 + fallbackFonts.indexOf(font);
}
