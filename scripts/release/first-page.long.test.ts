import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type OpenedBrowser, openBrowser } from '@attache/browser-tests/open-browser';
import { ensureChromium } from '@attache/infra/browser/ensure-chromium';
import { cacheFolderOf } from '@attache/infra/native/build/find-or-build-server';
import { findFreePort } from '@attache/infra/native/processes/free-port';
import { makePng } from '@attache/test-harness';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packPublished } from '../pack/pack-published.ts';
import { type Registry, startRegistry } from './__fixtures__/start-registry.ts';
import { publishArchives } from './publish-archives.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = await readFile(join(root, 'docs/browser.md'), 'utf8');
const steps = guide.slice(guide.indexOf('## Ten steps'), guide.indexOf('\n## Token'));
const dedent = (block: string) => block.replaceAll(/^ {3}/gm, '');
const commands = [...steps.matchAll(/^ {3}```sh\n([\s\S]*?)^ {3}```/gm)].map(([, block = '']) => dedent(block).trim());
const files = [...steps.matchAll(/^ {3}```\w+ file=(\S+)\n([\s\S]*?)^ {3}```/gm)].map(
  ([, path = '', block = '']) => [path, dedent(block)] as const,
);

/** Those of the guide may be taken on this machine: 4100 by Attaché, 4200 by the backend, 5173 by the page. */
const guided = ['4100', '4200', '5173'];
let ports: number[];
const onOwnPorts = (text: string) =>
  guided.reduce((changed, port, index) => changed.replaceAll(port, String(ports[index])), text);

let folder: string;
let registry: Registry;
let browser: OpenedBrowser;
const running: ChildProcess[] = [];

/** Runs a command of the guide in a shell; its standard output is read line by line until one fits. */
async function startCommand(command: string, cwd: string, fits: RegExp): Promise<string> {
  const [attache, backend] = ports;
  const own = { ATTACHE_PORT: String(attache), ATTACHE_OPS_PORT: '0', ATTACHE_URL: `http://127.0.0.1:${attache}` };
  const env = { ...registry.environment, ...own, PORT: String(backend), npm_config_yes: 'true', NO_COLOR: '1' };
  const child = spawn('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  running.push(child);
  for await (const line of createInterface(child.stdout)) {
    const found = fits.exec(line);
    if (!found) continue;
    child.stdout.resume();
    return found[0];
  }
  throw new Error(`${command} ended before it said ${fits}`);
}

/** Its shell, and all that it started. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  process.kill(-child.pid, 'SIGTERM');
  await once(child, 'exit');
}

beforeAll(async () => {
  ports = await Promise.all(guided.map(findFreePort));
  folder = await mkdtemp(join(tmpdir(), 'attache-first-page-'));
  registry = await startRegistry(folder);
  const { url, environment } = registry;
  const archives = await packPublished(root, join(folder, 'out'));
  await publishArchives(archives, { registry: url, environment, isDryRun: false, onProgress: () => {} });
  const chromium = await ensureChromium({
    cacheFolder: cacheFolderOf(process.env),
    searchPath: process.env.PATH ?? '',
    onProgress: () => {},
  });
  if ('why' in chromium) throw new Error(chromium.why);
  browser = await openBrowser(chromium);
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all(running.map(endGroup));
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the ten steps from an empty page to an answered picture', () => {
  it('are those of the example', async () => {
    expect([...steps.matchAll(/^\d+\. /gm)]).toHaveLength(10);
    expect(files.map(([path]) => path)).toEqual(['backend.mjs', 'vite.config.ts', 'src/App.tsx']);
    for (const [path, block] of files)
      expect(await readFile(join(root, 'examples/vite-react', path), 'utf8')).toBe(block);
  });

  it('lead there as they are written, with the packages of a registry', async () => {
    const [start = '', create = '', install = '', backend = '', dev = ''] = commands;
    const place = join(folder, 'place');
    const page = join(place, 'my-chat');
    await mkdir(place);
    await startCommand(start, place, /ready on http/);
    const env = { ...registry.environment, npm_config_yes: 'true' };
    await run('sh', ['-ec', `${create}\n${install}`], { cwd: place, env, maxBuffer: 1e7 });
    for (const [path, block] of files) await writeFile(join(page, path), onOwnPorts(block));
    await run('npm', ['run', 'build'], { cwd: page, env });
    startCommand(backend, page, /never/).catch(() => {});
    const address = await startCommand(`${dev} -- --port ${ports[2]} --strictPort`, page, /http:\/\/localhost:\d+\//);
    const opened = await browser.open(address);
    await attachAndSend(opened.page);
    await opened.page.reload();
    await showsAnswer(opened.page);
  });
});

async function attachAndSend(page: Page): Promise<void> {
  await page.getByRole('textbox').waitFor();
  const buffer = Buffer.from(makePng(320, 200, 20));
  const input = page.locator('input[type=file]').first();
  await input.setInputFiles([{ name: 'picture.png', mimeType: 'image/png', buffer }]);
  const plan = () => page.locator('[data-attache-part=plan]').textContent();
  await expect.poll(plan).toMatch(/painter\W? gets \W?picture\.png\W? as it is/);
  await page.getByRole('textbox').fill('What is this?');
  await page.getByRole('textbox').press('Enter');
  await showsAnswer(page);
}

async function showsAnswer(page: Page): Promise<void> {
  await page.getByText('I drew a palette card').waitFor();
  const picture = page.getByRole('img', { name: 'palette-of-picture.png' });
  const width = () => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
  await expect.poll(width).toBeGreaterThan(100);
}
