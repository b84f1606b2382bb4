import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../src/open-browser.ts';
import { servePage } from '../src/serve-page.ts';

const stylesheet = fileURLToPath(import.meta.resolve('@attache/react/style.css'));

const markup = (styles: string) => `<!doctype html><html><head>${styles}</head>
<body><form data-attache-part="composer"><button data-attache-part="send">Send</button></form></body></html>`;

/** Colour behind Send, in a page as Vite builds it for production. */
async function readSendColour(css: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'attache-vite-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await writeFile(join(root, 'index.html'), markup('<script type="module" src="/main.js"></script>'));
  await writeFile(join(root, 'page.css'), css);
  await writeFile(join(root, 'main.js'), `import ${JSON.stringify(stylesheet)};\nimport './page.css';\n`);
  await build({ root, base: './', configFile: false, logLevel: 'error' });
  const served = await servePage({ folder: join(root, 'dist') });
  const browser = await openBrowser();
  onTestFinished(async () => {
    await browser.close();
    await served.close();
  });
  const { page } = await browser.open(served.url);
  return page.evaluate<string>(
    `getComputedStyle(document.querySelector('[data-attache-part="send"]')).backgroundColor`,
  );
}

it.each([
  ['light without a word of the page', '', 'rgb(31, 95, 214)'],
  ['dark where the page declares it', ':root { color-scheme: dark; }', 'rgb(122, 169, 255)'],
])('the style sheet keeps its colours in a production build: %s', async (_, css, colour) => {
  expect(await readSendColour(css)).toBe(colour);
});
