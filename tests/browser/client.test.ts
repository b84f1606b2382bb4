import { fileURLToPath } from 'node:url';
import { startFaultProxy } from '@attache/client-runtimes/fault-proxy';
import { type CaseResult, cases, type RunOptions } from '@attache/client-runtimes/suite';
import { expect, inject, it } from 'vitest';
import { openBrowser } from './src/open-browser.ts';
import { servePage } from './src/serve-page.ts';
import { openBrowserTenant } from './src/shared-stack.ts';

const entry = fileURLToPath(import.meta.resolve('@attache/client-runtimes/page-entry'));

it('the client keeps its promises in a page of another origin, behind a path prefix', async () => {
  const [browser, page] = await Promise.all([openBrowser(), servePage({ entry })]);
  const proxy = await startFaultProxy(inject('browser').stack.url);
  try {
    const { apiKey } = await openBrowserTenant();
    const { page: opened } = await browser.open(page.url);
    await opened.waitForFunction('globalThis.runSuite !== undefined');
    const options = { baseUrl: proxy.baseUrl, controlUrl: proxy.controlUrl, apiKey };
    const results = await opened.evaluate((given) => {
      const { runSuite } = globalThis as unknown as { runSuite(options: RunOptions): Promise<CaseResult[]> };
      return runSuite(given);
    }, options);
    expect(results).toEqual(cases.map(({ name }) => ({ name })));
  } finally {
    await Promise.all([browser.close(), page.close(), proxy.close()]);
  }
});
