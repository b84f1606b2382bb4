import type { AttachmentFacts, PageGap, Warning } from '@attache/contracts';

const lacking: Record<PageGap['lacks'], string> = {
  page: 'cannot be shown at all',
  unmapped: 'has words in a font that is not in the document, and nothing says which letters they are',
  words: 'cannot be shown with all of its words, since no font for them is there',
  pictures: 'cannot be shown with all of its pictures, since their data is damaged or unknown',
  annotations: 'has annotations that cannot be shown',
  unknown: 'is shown blank or without a part: nothing is on it, or something on it cannot be read',
};

/** The warnings for people and models about pages that cannot be drawn whole; none where all are. */
export function describePageGaps(gaps: readonly PageGap[]): Warning[] {
  const kinds = Object.keys(lacking) as PageGap['lacks'][];
  return kinds.flatMap((lacks): Warning[] => {
    const pages = gaps.filter((gap) => gap.lacks === lacks).map(({ page }) => page);
    if (pages.length === 0) return [];
    const message = `${namePages(pages)} ${lacking[lacks]}.`;
    const severity = lacks === 'unknown' ? 'info' : 'warning';
    return [{ code: 'page_incomplete', severity, message, pages, lacks }];
  });
}

/** The pages that warnings name, in order. */
export const readPageGaps = (warnings: readonly Warning[]): PageGap[] =>
  warnings
    .flatMap(({ pages = [], lacks }) => (lacks === undefined ? [] : pages.map((page) => ({ page, lacks }))))
    .toSorted((a, b) => a.page - b.page);

/** Whether nothing of a page can be drawn, as far as that is known. */
export const isLostPage = ({ pageGaps = [] }: Pick<AttachmentFacts, 'pageGaps'>, page: number): boolean =>
  pageGaps.some((gap) => gap.page === page && gap.lacks === 'page');

/** At most as many numbers as a person reads. */
const MOST_NAMED = 20;

/** Such as "Each of the pages 2 and 5", which the rest of a sentence about one page follows. */
function namePages(pages: readonly number[]): string {
  const [first] = pages;
  if (pages.length === 1) return `Page ${first}`;
  const named = pages.slice(0, MOST_NAMED).join(', ');
  const more = pages.length - MOST_NAMED;
  return `Each of the pages ${named}${more > 0 ? ` and ${more} more` : ''}`;
}
