import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { inject } from 'vitest';

/** A page and all that went wrong in it. */
export type OpenedPage = {
  page: Page;
  /** Errors that nothing caught, and messages of `console.error`, each as text. */
  faults: string[];
};

export type OpenedBrowser = {
  browser: Browser;
  /** Opens a page in a context of its own, so that it shares no cookies and no storage with others. */
  open(url: string, options?: BrowserContextOptions): Promise<OpenedPage>;
  close(): Promise<void>;
};

/** Starts the Chromium of this run. Web security is on: a page meets CORS as a user's page does. */
export async function openBrowser(): Promise<OpenedBrowser> {
  const { program, environment } = inject('browser');
  const browser = await chromium.launch({
    executablePath: program,
    env: { ...process.env, ...environment } as Record<string, string>,
    // Root has no sandbox of Chromium's.
    chromiumSandbox: process.getuid?.() !== 0,
  });
  return {
    browser,
    async open(url, options = {}) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', ({ message }) => faults.push(message));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      await page.goto(url);
      return { page, faults };
    },
    close: () => browser.close(),
  };
}
