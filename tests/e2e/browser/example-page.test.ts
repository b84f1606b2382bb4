// hosted: every – the page calls another process for each part of its work, from an origin that only its tenant allows
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepScreenshot } from '@attache/browser-tests/keep-screenshot';
import { type OpenedBrowser, openBrowser } from '@attache/browser-tests/open-browser';
import { ensureChromium } from '@attache/infra/browser/ensure-chromium';
import { cacheFolderOf } from '@attache/infra/native/build/find-or-build-server';
import { findFreePort } from '@attache/infra/native/processes/free-port';
import { makePng } from '@attache/test-harness';
import type { Page } from 'playwright-core';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

const example = fileURLToPath(new URL('../../../examples/vite-react', import.meta.url));
const chromium = await ensureChromium({
  cacheFolder: cacheFolderOf(process.env),
  searchPath: process.env.PATH ?? '',
  onProgress: () => {},
});
const missing = 'why' in chromium ? chromium.why : undefined;

let stack: Stack;
let backend: ChildProcess;
let folder: string;
let served: PreviewServer;
let browser: OpenedBrowser;

async function startBackend(): Promise<string> {
  const port = await findFreePort();
  const env = { ATTACHE_URL: stack.api.url, ATTACHE_API_KEY: stack.api.apiKey, PORT: String(port) };
  backend = spawn(process.execPath, [join(example, 'backend.mjs')], { env, stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: 30_000 });
  return url;
}

/** The page as it would be published, and the backend below it. Returns its origin. */
async function servePage(): Promise<string> {
  const proxy = { '/api': await startBackend() };
  const outDir = join(folder, 'dist');
  await build({ root: example, logLevel: 'error', build: { outDir } });
  const port = await findFreePort();
  served = await preview({ root: example, build: { outDir }, preview: { port, strictPort: true, proxy } });
  return `http://localhost:${port}`;
}

describe.skipIf(missing && !process.env.CI)(`the example page${missing ? ` (${missing})` : ''}`, () => {
  let page: Page;
  let faults: string[];

  beforeAll(async () => {
    if ('why' in chromium) throw new Error(chromium.why);
    stack = await openStack();
    folder = await mkdtemp(join(tmpdir(), 'attache-page-'));
    const origin = await servePage();
    await stack.api.call('PUT', '/cors-origins', { body: { origins: [origin] } });
    browser = await openBrowser(chromium);
    ({ page, faults } = await browser.open(origin));
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    if (backend?.kill()) await once(backend, 'exit');
    if (folder) await rm(folder, { recursive: true, force: true });
    await stack?.stop();
  });

  it('uploads a picture and says before it is sent in which form the agent gets it [DL-08]', async () => {
    const buffer = Buffer.from(makePng(320, 200, 20));
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([{ name: 'chart.png', mimeType: 'image/png', buffer }]);
    // Names are isolated from the direction of the words around them.
    const words = () => page.locator('[data-attache-part=plan]').textContent();
    await expect.poll(words).toMatch(/painter\W? gets \W?chart\.png\W? as it is/);
  });

  it('shows the answer, and what the tool of the agent made of the picture, also after a refresh [AT-43]', async () => {
    await page.getByRole('textbox').fill('Draw me a card of this.');
    await page.getByRole('button', { name: 'Send' }).click();
    await showsOutput();
    await page.reload();
    await showsOutput();
    await keepScreenshot(page, `example-${inject('stack')}`);
    expect(faults).toEqual([]);
  });

  async function showsOutput(): Promise<void> {
    await page.getByText('I drew a palette card').waitFor();
    const picture = page.getByRole('img', { name: 'palette-of-chart.png' });
    const width = () => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(width).toBeGreaterThan(100);
  }
});
