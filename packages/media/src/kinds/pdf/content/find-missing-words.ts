import { type PdfLibrary, readBounds } from '../pdf-functions.ts';
import type { OpenText } from '../read-text.ts';

const ASCII = /^[\t\r\n\x20-\x7e]*$/;
const LAST_ASCII = 0x7e;
const LAST_CHARACTER = 0x10_ffff;
/** Pairs of a font and a character. Each look-up may take as long as the font's table of characters; beyond these, the page is drawn as it is. */
const MOST_LOOK_UPS = 5_000;
/** Nothing to see, or a sign without a meaning that others would know. */
const BLANK = /^[\p{Z}\p{Cc}\p{Cf}\p{Co}\ufffe\uffff]*$/u;

/** Text objects of a page, one for each font, whose font is not in the document. */
export const listForeign = (library: PdfLibrary, texts: readonly number[]): number[] =>
  texts.filter((text) => library.FPDFFont_GetIsEmbedded(library.FPDFTextObj_GetFont(text)) === 0);

/**
 * The characters of a page that no font draws, each once: the document has no font with them, and neither has the reader. `isOneFont`: all of its text has
 * the same font.
 */
export function listUndrawn(library: PdfLibrary, open: OpenText, isOneFont: boolean): string[] {
  const seen = new Map<number, Set<number>>();
  const undrawn = new Set<string>();
  let lookUps = 0;
  for (const index of isOneFont ? listFirstPlaces(open) : listBeyondAscii(open)) {
    if (lookUps === MOST_LOOK_UPS) break;
    const code = library.FPDFText_GetUnicode(open.handle, index);
    // A code without a meaning may be any number.
    if (code <= LAST_ASCII || code > LAST_CHARACTER || undrawn.has(String.fromCodePoint(code))) continue;
    const object = library.FPDFText_GetTextObject(open.handle, index);
    if (object === 0 || library.FPDFTextObj_GetTextRenderMode(object) === INVISIBLE) continue;
    const font = library.FPDFTextObj_GetFont(object);
    const codes = seen.get(font) ?? new Set<number>();
    seen.set(font, codes);
    if (codes.has(code)) continue;
    lookUps += 1;
    codes.add(code);
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

/** The same, only the first place of each character. */
function* listFirstPlaces(open: OpenText): Generator<number> {
  const { text, count } = open;
  const seen = new Set<number>();
  for (const index of listBeyondAscii(open)) {
    const unit = text.length === count ? text.charCodeAt(index) : undefined;
    if (unit !== undefined && seen.has(unit)) continue;
    if (unit !== undefined) seen.add(unit);
    yield index;
  }
}

// As the reader numbers it: the text that a scanner lays under a picture.
const INVISIBLE = 3;
const ANY_SIZE = 12;

function hasGlyph(library: PdfLibrary, font: number, code: number): boolean {
  if (font === 0 || BLANK.test(String.fromCodePoint(code))) return true;
  if (library.FPDFFont_GetIsEmbedded(font) === 1) return true;
  return library.FPDFFont_GetGlyphPath(font, code, ANY_SIZE) !== 0;
}

/**
 * Whether a page shows glyphs by their numbers in a font that is not in the document, and nothing says which characters they are: the reader then draws
 * whatever has these numbers in another font. All glyphs of a font are of one kind, so one of each is asked. `foreign`: as of `listForeign`.
 */
export function hasUnmapped(library: PdfLibrary, open: OpenText, foreign: readonly number[]): boolean {
  return foreign.some((text) => {
    const index = findCharacter(library, open, text);
    return index !== undefined && library.FPDFText_HasUnicodeMapError(open.handle, index) === 1;
  });
}

/** Characters of a page that are looked at one by one; further ones are looked for by their places. */
const FIRST_CHARACTERS = 100;
/** A glyph may be anywhere in its text. */
const PLACES = [0.1, 0.35, 0.6, 0.85];

/** The number of a character that a text object, or another one with its font, draws. */
function findCharacter(library: PdfLibrary, { handle, count }: OpenText, text: number): number | undefined {
  const font = library.FPDFTextObj_GetFont(text);
  const isOfFont = (index: number) => {
    const object = index < 0 ? 0 : library.FPDFText_GetTextObject(handle, index);
    return object !== 0 && library.FPDFTextObj_GetFont(object) === font;
  };
  for (let index = 0; index < Math.min(count, FIRST_CHARACTERS); index += 1) if (isOfFont(index)) return index;
  const bounds = readBounds(library, text);
  if (bounds === undefined) return undefined;
  const { left, right, bottom, top } = bounds;
  const height = top - bottom;
  return PLACES.map((place) => {
    const [x, y] = [left + (right - left) * place, bottom + height / 2];
    return library.FPDFText_GetCharIndexAtPos(handle, x, y, height, height);
  }).find(isOfFont);
}
