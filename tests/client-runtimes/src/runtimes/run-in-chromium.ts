import type { Browser } from 'playwright-core';
import type { RunOptions } from '../context.ts';
import type { CaseResult } from '../suite.ts';

/** Runs the suite in a page of another origin than the stack's, so that every request meets CORS. */
export async function runInChromium(browser: Browser, pageUrl: string, options: RunOptions): Promise<CaseResult[]> {
  const page = await browser.newPage();
  await page.goto(pageUrl);
  await page.waitForFunction('globalThis.runSuite !== undefined');
  return page.evaluate((given) => {
    const { runSuite } = globalThis as unknown as { runSuite(options: RunOptions): Promise<CaseResult[]> };
    return runSuite(given);
  }, options);
}
