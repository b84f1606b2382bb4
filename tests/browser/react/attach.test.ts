import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Api } from '@attache/test-harness';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepScreenshot } from '../src/keep-screenshot.ts';
import { openBrowserTenant, openParticipant } from '../src/shared-stack.ts';
import { dragFiles } from './drag-files.ts';
import { imageOf, largeImageOf, textOf } from './files.ts';
import { type Composers, type OpenedComposer, serveComposers } from './open-composer.ts';

let composers: Composers;
let api: Api;
let folder: string;
beforeAll(async () => {
  [composers, api, folder] = await Promise.all([
    serveComposers(),
    openBrowserTenant(),
    mkdtemp(join(tmpdir(), 'attache-drop-')),
  ]);
});
afterAll(async () => {
  await composers.close();
  await rm(folder, { recursive: true, force: true });
});

const open = async (shown: object = {}) => composers.open({ ...(await openParticipant(api)), ...shown });

async function writeImages(name: string, count: number): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, 'inner'), { recursive: true });
  await writeFile(join(path, '.DS_Store'), 'x');
  for (let index = 0; index < count; index += 1)
    await writeFile(join(path, index % 2 ? 'inner' : '.', `${index}.png`), makePng(4, 4, index));
  return path;
}

/** The middle of the composer. */
async function middleOf({ part }: OpenedComposer): Promise<[number, number]> {
  const box = await part('drop-zone').boundingBox();
  if (!box) throw new Error('the composer is not shown');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** A line on which a file of a megabyte takes seconds, until it is cut. */
async function slowDown({ page }: OpenedComposer): Promise<{ cut(isCut: boolean): Promise<void> }> {
  const protocol = await page.context().newCDPSession(page);
  const line = { latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
  const cut = async (offline: boolean) =>
    void (await protocol.send('Network.emulateNetworkConditions', { offline, ...line }));
  await cut(false);
  return { cut };
}

describe('a drop', () => {
  it('shows where it lands, also over what is in the composer, and brings the files [AT-36]', async () => {
    const composer = await open();
    const { page, part, chip, expectReady, faults } = composer;
    const path = join(folder, 'dropped.png');
    await writeFile(path, makePng(40, 30, 7));
    const drag = await dragFiles(page, [path]);
    await drag.moveTo(5, 5);
    expect(await part('drop-hint').count()).toBe(0);
    await drag.moveTo(...(await middleOf(composer)));
    await part('drop-hint').waitFor();
    const [x, y] = await middleOf(composer);
    await drag.moveTo(x + 100, y + 20);
    expect(await part('drop-hint').count()).toBe(1);
    await drag.moveTo(5, 5);
    await part('drop-hint').waitFor({ state: 'detached' });
    await drag.moveTo(x, y);
    await part('drop-hint').waitFor();
    await keepScreenshot(page, 'composer-drop-en');
    await drag.drop();
    await part('drop-hint').waitFor({ state: 'detached' });
    await expectReady(1);
    expect(await chip('dropped.png').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it('brings all files of a folder and of the folders in it, without those of the system', async () => {
    const composer = await open();
    const drag = await dragFiles(composer.page, [await writeImages('many', 130)]);
    await drag.moveTo(...(await middleOf(composer)));
    await drag.drop();
    // The model takes twenty images in one message.
    await composer.part('refusals').waitFor();
    expect(await composer.part('refusals').locator('strong').textContent()).toContain('110');
    expect(await composer.part('chip').count()).toBe(20);
    expect(await composer.chip('DS_Store').count()).toBe(0);
  });
});

describe('a paste', () => {
  it('of an image brings a file with a dated name, and of a text nothing but the text', async () => {
    const { page, part, expectReady } = await open();
    await part('text').focus();
    await page.evaluate('copyImage()');
    await page.keyboard.press('Control+v');
    await expectReady(1);
    expect(await part('name').textContent()).toMatch(/^pasted-\d{4}-\d\d-\d\d-\d{6}\.png$/);
    await page.evaluate("navigator.clipboard.writeText('some words')");
    await page.keyboard.press('Control+v');
    await expect.poll(() => part('text').inputValue()).toBe('some words');
    expect(await part('chip').count()).toBe(1);
  });
});

describe('the pickers', () => {
  it('offer what the agents take, a folder, and the camera', async () => {
    const { page, part } = await open();
    const input = (name: string) => page.locator(`[data-attache-input="${name}"]`);
    await expect.poll(() => input('attach').getAttribute('accept')).not.toBe('image/*');
    await input('folder').setInputFiles(await writeImages('chosen', 3));
    await expect.poll(() => part('chip').count()).toBe(3);
    expect(await input('camera').getAttribute('capture')).toBe('environment');
    // A device without touch has no camera to speak of.
    expect(await part('camera').isVisible()).toBe(false);
  });
});

describe('a refusal', () => {
  it('names the files and the reasons, interrupts a screen reader, and can be dismissed [AT-37]', async () => {
    const { page, part, choose } = await open({ supported: ['image/*'] });
    await choose(textOf('notes.txt', 'a'), textOf('more.txt', 'b'), imageOf('good.png'), textOf('empty.png', ''));
    await part('refusals').waitFor();
    const sentences = await part('refusals').locator('li').allTextContents();
    expect(sentences.map(plain)).toEqual([
      'notes.txt and more.txt: the agents here do not take this type of file.',
      'empty.png: no content.',
    ]);
    expect(await part('assertive').textContent()).toContain('3');
    expect(await part('chip').count()).toBe(1);
    await keepScreenshot(page, 'composer-refusal-en');
    await part('dismiss').click();
    expect(await part('refusals').count()).toBe(0);
  });
});

describe('an upload', () => {
  it('shows a picture at once, its progress, and the picture of the server once it is ready [AT-38 AT-39]', async () => {
    const composer = await open();
    const { page, part, choose, expectReady } = composer;
    await slowDown(composer);
    await choose(largeImageOf('large.png', 400_000));
    const picture = part('thumbnail').locator('img');
    await expect.poll(() => picture.getAttribute('src')).toMatch(/^blob:/);
    const local = String(await picture.getAttribute('src'));
    const bar = page.getByRole('progressbar', { name: 'large.png' });
    await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(10);
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBeLessThan(100);
    expect(await bar.getAttribute('aria-valuetext')).toContain('402');
    await keepScreenshot(page, 'composer-progress-en');
    await expectReady(1);
    await expect.poll(() => picture.getAttribute('src')).toMatch(/^http/);
    expect(await bar.count()).toBe(0);
    const read = page.evaluate(
      (url) =>
        fetch(url).then(
          () => 'read',
          () => 'revoked',
        ),
      local,
    );
    expect(await read).toBe('revoked');
  });

  it('stops where it is told, keeps the focus, and starts again [AT-38]', async () => {
    const composer = await open();
    const { page, part, choose, chip, expectReady } = composer;
    await slowDown(composer);
    await choose(largeImageOf('large.png', 300_000));
    const stop = page.getByRole('button', { name: /^Stop uploading/ });
    await stop.press('Enter');
    const again = page.getByRole('button', { name: /^Try .* again$/ });
    await expect.poll(() => focused(page)).toMatch(/^Try/);
    expect(await chip('large.png').getAttribute('data-attache-status')).toBe('error');
    expect(await part('state').textContent()).toMatch(/^Stopped/);
    await expect.poll(() => part('polite').textContent()).toMatch(/stopped\.$/);
    expect(await part('obstacle').textContent()).toContain('try them again');
    await again.press('Enter');
    await expectReady(1);
    await expect.poll(() => focused(page)).toMatch(/^Remove/);
  });

  it('waits while the connection is cut, and continues by itself [AT-38]', async () => {
    const composer = await open();
    const { page, part, choose, expectReady } = composer;
    const line = await slowDown(composer);
    let tries = 0;
    await page.route(/\/attachments\?/, async (route) => {
      tries += 1;
      if (tries > 1) return route.continue();
      await line.cut(true);
      await route.abort('connectionreset');
    });
    await choose(imageOf('chart.png'));
    await expect.poll(() => part('state').textContent()).toBe('Waiting for the connection');
    await line.cut(false);
    await expectReady(1);
    expect(tries).toBe(2);
  });

  it('of a large image sends a smaller one, and of one that is small the file itself [DL-81]', async () => {
    const { sessionId, token } = await openParticipant(api);
    const { choose, expectReady } = await composers.open({ sessionId, token, reducesImages: true });
    const small = imageOf('small.png', [60, 40]);
    await choose(imageOf('large.png', [640, 320]), small);
    await expectReady(2);
    const list = await api.call<{ items: { name: string; sizeBytes: number; facts: object; mimeType: string }[] }>(
      'GET',
      `/sessions/${sessionId}/attachments`,
    );
    const files = Object.fromEntries(list.body.items.map((each) => [each.name, each]));
    expect(files['large.png']).toMatchObject({ mimeType: 'image/png', facts: { width: 64, height: 32 } });
    expect(files['small.png']).toMatchObject({ sizeBytes: small.buffer.length, facts: { width: 60, height: 40 } });
  });
});

describe('a removal', () => {
  it('moves the focus to the next file, then to the one before, then to the text, and is announced', async () => {
    const { page, part, chip, choose, expectReady } = await open();
    await choose(imageOf('a.png'), imageOf('b.png'), imageOf('c.png'));
    await expectReady(3);
    const remove = (name: string) => chip(name).locator('[data-attache-part="remove"]').press('Enter');
    await remove('b.png');
    expect(await focused(page)).toBe('Remove c.png');
    await remove('c.png');
    expect(await focused(page)).toBe('Remove a.png');
    await remove('a.png');
    expect(await focused(page)).toBe('Message');
    await expect.poll(() => part('polite').textContent()).toMatch(/removed/);
  });

  it('of the last file takes one Backspace in an empty text', async () => {
    const { page, part, choose, expectReady } = await open();
    await choose(imageOf('a.png'), imageOf('b.png'));
    await expectReady(2);
    await part('text').fill('x');
    await part('text').press('Backspace');
    expect(await part('chip').count()).toBe(2);
    await part('text').press('Backspace');
    await expect.poll(() => part('name').allTextContents()).toEqual(['a.png']);
    expect(await focused(page)).toBe('Message');
    await expect.poll(() => part('polite').textContent()).toContain('b.png');
  });
});

it('five hundred files leave the page responsive, and are announced in few sentences', async () => {
  const { page, part, choose } = await open();
  await page.evaluate('watchPage()');
  await choose(...Array.from({ length: 500 }, (_, index) => textOf(`${index}.txt`, String(index))));
  await expect.poll(() => part('chip').count()).toBe(500);
  await part('text').fill('still here');
  await expect.poll(() => page.locator('[data-attache-status="ready"]').count()).toBeGreaterThan(20);
  const { sentences, longestTaskMs } = await page.evaluate<{ sentences: string[]; longestTaskMs: number }>('seen');
  process.stdout.write(`500 files: longest task ${longestTaskMs} ms, ${sentences.length} sentences\n`);
  expect(sentences.find((text) => text.includes('500'))).toBeDefined();
  expect(sentences.length).toBeLessThan(60);
});

/** The name of what has the focus. */
async function focused(page: OpenedComposer['page']): Promise<string> {
  return plain((await page.locator(':focus').getAttribute('aria-label')) ?? '');
}

const plain = (text: string) => text.replaceAll(/[\u2068\u2069]/g, '');
