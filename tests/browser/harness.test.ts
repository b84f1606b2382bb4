import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { findViolations } from './src/find-violations.ts';
import { keepScreenshot } from './src/keep-screenshot.ts';
import { type OpenedBrowser, openBrowser } from './src/open-browser.ts';
import { type ServedPage, servePage } from './src/serve-page.ts';
import { openBrowserTenant, openParticipant } from './src/shared-stack.ts';

const pageOf = (name: string) => fileURLToPath(new URL(`pages/${name}.ts`, import.meta.url));

let browser: OpenedBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const served: ServedPage[] = [];
afterEach(async () => {
  await Promise.all(served.splice(0).map((page) => page.close()));
});
const serve = async (...args: Parameters<typeof servePage>): Promise<ServedPage> => {
  const page = await servePage(...args);
  served.push(page);
  return page;
};

describe('a page', () => {
  it('shows Latin, Arabic and Chinese letters, each with a shape of its own', async () => {
    const { url } = await serve({ entry: pageOf('languages') }, { prefix: '/app' });
    const { page, faults } = await browser.open(url);
    await page.waitForSelector('#zh');
    await keepScreenshot(page, 'languages');
    // Letters without a font would all be the same box.
    for (const letters of ['أفلتمن', '将文件传发送']) {
      const shapes = await Promise.all([...letters].map((letter) => pictureOf(letter)));
      expect(new Set(shapes).size, letters).toBe(letters.length);
    }
    expect(faults).toEqual([]);
  });

  it('with a fault of accessibility has it found', async () => {
    const { url } = await serve({ entry: pageOf('languages') });
    const { page } = await browser.open(url);
    await page.waitForSelector('#zh');
    await page.locator('#root').evaluate((root) => root.insertAdjacentHTML('beforeend', '<button></button>'));
    expect((await findViolations(page, '#root')).map(({ rule }) => rule)).toEqual(['button-name']);
  });

  it.each([
    ['allowed', '200'],
    ['other', 'TypeError'],
  ] as const)('of the %s origin gets %s from the stack, as CORS rules', async (origin, outcome) => {
    const api = await openBrowserTenant();
    const { sessionId, token } = await openParticipant(api);
    const { url } = await serve({ entry: pageOf('read-session') }, { origin });
    const input = encodeURIComponent(JSON.stringify({ url: inject('browser').stack.url, sessionId, token }));
    const { page } = await browser.open(`${url}#${input}`);
    await expect.poll(() => page.textContent('output')).toBe(outcome);
  });
});

async function pictureOf(letter: string): Promise<string> {
  const { page } = await browser.open(`data:text/html,<meta charset=utf-8><p>${encodeURIComponent(letter)}`);
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 60, height: 60 } });
  await page.context().close();
  return createHash('sha256').update(picture).digest('hex');
}
