import type { PageGap } from '@attache/contracts';
import type { Raster } from '../../image/raster.ts';
import type { FallbackFont } from '../fonts/fallback-fonts.ts';
import { type PdfLibrary, readFour } from '../pdf-functions.ts';
import type { PdfReader } from '../pdf-library.ts';
import { hasBareAnnotation } from './find-annotations.ts';
import { isOneColour } from './find-colour.ts';
import { hasLostPicture, listUnknownPictures } from './find-lost-pictures.ts';
import type { PageContent } from './list-content.ts';
import { type Sight, seePage } from './see-page.ts';

/** The kind of content that a drawing of a page leaves out. */
export type Lack = PageGap['lacks'];

export type PageLook = {
  content: PageContent;
  /** Fonts of ours for characters that the document has no glyphs of. */
  fonts: FallbackFont[];
  /** The content that is left out although these fonts draw. */
  lacks: Lack | undefined;
  /** Its own text, without what fields and notes show. */
  text: string;
};

/** Looks at what an open page holds, without drawing it. `seeMore` looks at what it shows besides its own objects. */
export function lookAtPage(
  { library, fonts }: PdfReader,
  page: number,
  seeMore: (content: PageContent) => readonly Sight[],
): PageLook {
  const { content, text, ...own } = seePage(library, page);
  const other = findOther(library, page, content);
  const sights = [own, ...seeMore(content)];
  const undrawn = sights.flatMap((sight) => sight.undrawn);
  const chosen = fonts.choose(undrawn);
  const lacksWords = undrawn.some((character) => !chosen.some((font) => font.covers(character)));
  const found = [...sights.map(({ lacks }) => lacks), lacksWords ? 'words' : undefined, other];
  return { content, fonts: chosen, lacks: BY_WEIGHT.find((lack) => found.includes(lack)), text };
}

/** A page has one of them said: the first. */
const BY_WEIGHT: readonly Lack[] = ['page', 'unmapped', 'words', 'pictures', 'unknown', 'annotations'];

function findOther(library: PdfLibrary, page: number, { images, texts, hasShapes }: PageContent): Lack | undefined {
  const unknown = listUnknownPictures(library, images).length;
  if (unknown > 0) return unknown === images.length && texts.length === 0 && !hasShapes ? 'page' : 'pictures';
  return hasBareAnnotation(library, page) ? 'annotations' : undefined;
}

/** Compares a drawing of a page with what the page holds. `page`: nothing of it was drawn. */
export function findLoss(
  library: PdfLibrary,
  { page, raster, look }: { page: number; raster: Raster; look: PageLook },
): Lack | undefined {
  const { content } = look;
  const isLacking = look.lacks !== undefined && look.lacks !== 'annotations';
  const lacks = isLacking ? look.lacks : (lostPicture(library, page, content, raster) ?? look.lacks);
  if (!isBlank(raster)) return lacks;
  if (lacks !== undefined && lacks !== 'annotations') return 'page';
  if (lacks !== undefined) return lacks;
  // The reader leaves out what it cannot read, so that an empty page and a broken one look alike.
  return content.texts.some((text) => hasColour(library, text)) && LETTER.test(look.text) ? 'words' : 'unknown';
}

function lostPicture(library: PdfLibrary, page: number, { images }: PageContent, raster: Raster): Lack | undefined {
  return hasLostPicture(library, { page, images, raster }) ? 'pictures' : undefined;
}

const isBlank = (raster: Raster): boolean =>
  isOneColour(raster) && raster.pixels.subarray(0, 3).every((value) => value === WHITE);

const LETTER = /[\p{L}\p{N}]/u;
const WHITE = 255;
const NEARLY_WHITE = 240;

/** Whether a text has a colour that can be told from white paper. */
function hasColour(library: PdfLibrary, text: number): boolean {
  const four = readFour(library, {
    call: (...pointers) => library.FPDFPageObj_GetFillColor(text, ...pointers),
    read: (view, at) => view.getUint32(at, true),
  });
  if (four === undefined) return false;
  const [red, green, blue, alpha] = four;
  return alpha > 0 && Math.min(red, green, blue) < NEARLY_WHITE;
}
