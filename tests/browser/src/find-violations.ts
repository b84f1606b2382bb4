import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** A broken rule of accessibility, and the elements that break it as selectors. */
export type Violation = { rule: string; help: string; elements: string[] };

/** Runs axe on a page, or on what a selector names: the rules of WCAG 2.2 A and AA, and the best practices. Empty if all hold. */
export async function findViolations(page: Page, selector?: string): Promise<Violation[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${selector === undefined ? 'document' : JSON.stringify(selector)})`,
  );
  return violations.map(({ id, help, nodes }) => ({
    rule: id,
    help,
    elements: nodes.map(({ target }) => target.join(' ')),
  }));
}
