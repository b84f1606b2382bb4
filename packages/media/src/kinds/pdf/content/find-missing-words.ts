import type { PdfLibrary } from '../pdf-functions.ts';
import type { OpenText } from '../read-text.ts';

const ASCII = /^[\t\r\n\x20-\x7e]*$/;
const LAST_ASCII = 0x7e;
const LAST_CHARACTER = 0x10_ffff;
/** Pairs of a font and a character. Each look-up may take as long as the font's table of characters; beyond these, the page is drawn as it is. */
const MOST_LOOK_UPS = 5_000;
/** Nothing to see, or a sign without a meaning that others would know. */
const BLANK = /^[\p{Z}\p{Cc}\p{Cf}\p{Co}\ufffe\uffff]*$/u;

/** The characters of a page that no font draws, each once: the document has no font with them, and neither has the reader. */
export function listUndrawn(library: PdfLibrary, open: OpenText): string[] {
  const fonts = new Map<number, Set<number>>();
  const undrawn = new Set<string>();
  let lookUps = 0;
  for (const index of listBeyondAscii(open)) {
    if (lookUps === MOST_LOOK_UPS) break;
    const code = library.FPDFText_GetUnicode(open.handle, index);
    // A code without a meaning may be any number.
    if (code <= LAST_ASCII || code > LAST_CHARACTER || undrawn.has(String.fromCodePoint(code))) continue;
    const object = library.FPDFText_GetTextObject(open.handle, index);
    if (object === 0 || library.FPDFTextObj_GetTextRenderMode(object) === INVISIBLE) continue;
    const font = library.FPDFTextObj_GetFont(object);
    const seen = fonts.get(font) ?? new Set<number>();
    fonts.set(font, seen);
    if (seen.has(code)) continue;
    lookUps += 1;
    seen.add(code);
    if (!hasGlyph(library, font, code)) undrawn.add(String.fromCodePoint(code));
  }
  return [...undrawn];
}

/** Places of characters that not each of the reader's fonts has. */
function* listBeyondAscii({ text, count }: OpenText): Generator<number> {
  // A unit is a character, or any place may be one.
  const isAligned = text.length === count;
  if (ASCII.test(text)) return;
  for (let index = 0; index < count; index += 1) if (!isAligned || text.charCodeAt(index) > LAST_ASCII) yield index;
}

// As the reader numbers it: the text that a scanner lays under a picture.
const INVISIBLE = 3;
const ANY_SIZE = 12;

function hasGlyph(library: PdfLibrary, font: number, code: number): boolean {
  if (font === 0 || BLANK.test(String.fromCodePoint(code))) return true;
  if (library.FPDFFont_GetIsEmbedded(font) === 1) return true;
  return library.FPDFFont_GetGlyphPath(font, code, ANY_SIZE) !== 0;
}

/** Characters of a page that are looked at for their meaning. */
const MOST_CHARACTERS = 5_000;

/**
 * Whether a page shows glyphs by their numbers in a font that is not in the document, and nothing says which characters they are: the reader then draws
 * whatever has these numbers in another font. `texts`: its text objects, one for each font.
 */
export function hasUnmapped(library: PdfLibrary, open: OpenText, texts: readonly number[]): boolean {
  const isForeign = (text: number) => library.FPDFFont_GetIsEmbedded(library.FPDFTextObj_GetFont(text)) === 0;
  if (!texts.some(isForeign)) return false;
  for (let index = 0; index < Math.min(open.count, MOST_CHARACTERS); index += 1) {
    if (library.FPDFText_HasUnicodeMapError(open.handle, index) !== 1) continue;
    const object = library.FPDFText_GetTextObject(open.handle, index);
    if (object !== 0 && isForeign(object) && library.FPDFTextObj_GetTextRenderMode(object) !== INVISIBLE) return true;
  }
  return false;
}
