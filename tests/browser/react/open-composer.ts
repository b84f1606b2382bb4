import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { ComposerPage } from '../pages/composer-page.ts';
import type { PageSource } from '../src/bundle-page.ts';
import { type OpenedBrowser, openBrowser } from '../src/open-browser.ts';
import { type ServedPage, servePage } from '../src/serve-page.ts';

const entry = fileURLToPath(new URL('../pages/composer.tsx', import.meta.url));
const stylesheet = fileURLToPath(import.meta.resolve('@attache/react/style.css'));

type Shown = Omit<ComposerPage, 'url'>;

/** A composer in a page, by what people and screen readers find in it. */
export type OpenedComposer = {
  page: Page;
  faults: string[];
  part(name: string): Locator;
  /** The file of that name in the draft. */
  chip(name: string): Locator;
  /** Chooses files by the picker. */
  choose(...files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void>;
  /** Waits until so many files are ready. */
  expectReady(count: number): Promise<void>;
};

export type Composers = {
  browser: OpenedBrowser;
  open(shown: Shown, options?: BrowserContextOptions): Promise<OpenedComposer>;
  close(): Promise<void>;
};

/** Serves the page of a composer, and opens it as often as a suite needs it. */
export async function serveComposers(source: Pick<PageSource, 'mode' | 'alias'> = {}): Promise<Composers> {
  const [browser, served] = await Promise.all([
    openBrowser(),
    servePage({ entry, stylesheets: [stylesheet], ...source }),
  ]);
  return {
    browser,
    open: (shown, options) => open({ browser, served }, shown, options),
    close: () => close(browser, served),
  };
}

async function close(browser: OpenedBrowser, served: ServedPage): Promise<void> {
  await browser.close();
  await served.close();
}

type Serving = { browser: OpenedBrowser; served: ServedPage };

async function open(
  { browser, served }: Serving,
  shown: Shown,
  options?: BrowserContextOptions,
): Promise<OpenedComposer> {
  const input: ComposerPage = { url: inject('browser').stack.url, ...shown };
  const opened = await browser.open(`${served.url}#${encodeURIComponent(JSON.stringify(input))}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
    viewport: { width: 900, height: 800 },
    ...options,
  });
  const { page } = opened;
  const part = (name: string) => page.locator(`[data-attache-part="${name}"]`);
  await part('composer').waitFor();
  return {
    ...opened,
    part,
    chip: (name) => part('chip').filter({ hasText: name }),
    choose: (...files) => page.locator('[data-attache-input="attach"]').setInputFiles(files),
    expectReady: (count) => expect.poll(() => page.locator('[data-attache-status="ready"]').count()).toBe(count),
  };
}
