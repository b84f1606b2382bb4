import type { Attachment, Failure, PageGap, Recipe, Variant } from '@attache/contracts';
import { type Database, notePageGaps, type StoredAttachment } from '@attache/database';
import { isLostPage, readPageGaps } from '@attache/domain';

/** `gaps`: pages of which no variant could be made, and those that are not whole. */
export type MadeVariants =
  | { status: 'made'; variants: Variant[]; gaps: PageGap[] }
  | { status: 'failed'; failure: Failure };

export type Outcome = Variant | Failure;

export const isFailure = (outcome: Outcome): outcome is Failure => 'code' in outcome;
const isUnreadable = (outcome: Outcome): outcome is Failure =>
  isFailure(outcome) && outcome.code === 'attachment_page_unreadable';
const isCostly = (outcome: Outcome): boolean =>
  isUnreadable(outcome) && outcome.safeDetails?.cause === 'processor-time';

/** Pages of one document that may use up all the processor time of a page; then the others are not tried. */
const MOST_COSTLY_PAGES = 3;

/** Whether a failure ends the work on its document: a page that cannot be drawn leaves the others, unless several were as costly. */
export const isHopeless = (failure: Failure, outcomes: readonly (Outcome | undefined)[]): boolean =>
  !isUnreadable(failure) || outcomes.filter((each) => each && isCostly(each)).length >= MOST_COSTLY_PAGES;

/** Notes the pages that could not be drawn with their document, so that the next plan knows them and they are not drawn again. */
export async function noteUnreadable(
  db: Database,
  { tenantId, stored }: { tenantId: string; stored: StoredAttachment },
  recipes: readonly Recipe[],
  outcomes: readonly (Outcome | undefined)[],
): Promise<void> {
  const gaps = recipes.flatMap((recipe, index): PageGap[] => {
    const outcome = outcomes[index];
    const isLost = outcome !== undefined && isUnreadable(outcome) && recipe.purpose === 'page-image';
    return isLost ? [{ page: recipe.page, lacks: 'page' }] : [];
  });
  if (gaps.length > 0) await notePageGaps(db, { tenantId, attachmentId: stored.id, gaps });
}

/** The failure of a page that is known to be unreadable. */
export function findKnownGap({ id, facts }: Attachment, recipe: Recipe): Failure | undefined {
  if (recipe.purpose !== 'page-image' || !isLostPage(facts, recipe.page)) return undefined;
  return {
    code: 'attachment_page_unreadable',
    severity: 'error',
    attachmentId: id,
    userMessage: 'No page of the document can be drawn. Print it into a new PDF, or send pictures of its pages.',
    diagnostic: 'it is known that nothing of the page is drawn',
    retryable: false,
  };
}

/** Leaves out the pages that cannot be drawn. The failure of the first one if no page is left. */
export function settleOutcomes(recipes: readonly Recipe[], outcomes: readonly Outcome[]): MadeVariants {
  const variants = outcomes.filter((outcome): outcome is Variant => !isFailure(outcome));
  const [lost] = outcomes.filter(isFailure);
  if (lost && variants.length === 0) return { status: 'failed', failure: lost };
  const gaps = outcomes.flatMap((outcome, index): PageGap[] => {
    if (!isFailure(outcome)) return readPageGaps(outcome.warnings ?? []);
    const recipe = recipes[index];
    return recipe?.purpose === 'page-image' ? [{ page: recipe.page, lacks: 'page' }] : [];
  });
  return { status: 'made', variants, gaps };
}
