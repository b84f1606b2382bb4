import type { PageGap } from '@attache/contracts';
import type { PdfLibrary } from '../pdf-functions.ts';
import { withText } from '../read-text.ts';
import { listUnknownPictures } from './find-lost-pictures.ts';
import { hasUnmapped, listForeign, listUndrawn } from './find-missing-words.ts';
import { listContent, type PageContent } from './list-content.ts';

/** The look of a page without drawing it. */
export type Sight = {
  /** Characters that no font draws, neither one of the document nor one of the reader. */
  undrawn: string[];
  lacks: PageGap['lacks'] | undefined;
};

type SeenPage = Sight & { content: PageContent; text: string };

/** Looks at the objects of an open page and at their text. */
export function seePage(library: PdfLibrary, page: number): SeenPage {
  const content = listContent(library, page);
  const foreign = listForeign(library, content.texts);
  const seen = withText(library, page, (open) => ({
    text: open.text,
    undrawn: foreign.length === 0 ? [] : listUndrawn(library, open, content.texts.length === 1),
    lacks: hasUnmapped(library, open, foreign) ? ('unmapped' as const) : undefined,
  }));
  return { content, text: '', undrawn: [], lacks: undefined, ...seen };
}

/** The same, with pictures that cannot be drawn. */
export function seeWhole(library: PdfLibrary, page: number): SeenPage {
  const seen = seePage(library, page);
  const hasUnknown = listUnknownPictures(library, seen.content.images).length > 0;
  return { ...seen, lacks: seen.lacks ?? (hasUnknown ? 'pictures' : undefined) };
}
