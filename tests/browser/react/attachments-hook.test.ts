import { fileURLToPath } from 'node:url';
import type { DraftItem, ImageContent, Rejection } from '@attache/client';
import { makePng } from '@attache/test-harness';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openBrowser } from '../src/open-browser.ts';
import { servePage } from '../src/serve-page.ts';
import { openBrowserTenant, openParticipant } from '../src/shared-stack.ts';

const entry = fileURLToPath(new URL('../pages/attachments-hook.tsx', import.meta.url));

/** Its own types are those of a page. */
type Hook = {
  attachments: {
    items: readonly DraftItem[];
    referenceIds: readonly string[];
    add(files: Iterable<Blob>): Promise<{ rejected: readonly Rejection[] }>;
    remove(key: string): void;
    clear(): void;
    toImageContents(): Promise<ImageContent[]>;
  };
};

it('the hook gives items, add, remove, clear, toImageContents and referenceIds [AT-36 AT-37 AT-39]', async () => {
  const [browser, served] = await Promise.all([openBrowser(), servePage({ entry })]);
  onTestFinished(async () => void (await Promise.all([browser.close(), served.close()])));
  const api = await openBrowserTenant();
  const participant = await openParticipant(api);
  const input = encodeURIComponent(JSON.stringify({ url: inject('browser').stack.url, ...participant }));
  const { page } = await browser.open(`${served.url}#${input}`);
  const shown = () => page.textContent('output');
  await expect.poll(shown).toBe('');
  const images = ['one.png', 'two.png'].map((name, index) => ({
    name,
    data: Buffer.from(makePng(30, 20, index)).toString('base64'),
  }));

  const added = await page.evaluate(async (given) => {
    const files = given.map(({ name, data }) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      return new File([bytes], name, { type: 'image/png' });
    });
    const { attachments } = globalThis as unknown as Hook;
    return attachments.add([...files, new File(['words'], 'notes.txt', { type: 'text/plain' })]);
  }, images);
  expect(added.rejected).toMatchObject([
    { name: 'notes.txt', code: 'type', reason: expect.stringContaining('notes.txt') },
  ]);
  await expect.poll(shown).toBe('one.png ready, two.png ready');

  const read = await page.evaluate(async () => {
    const { items, referenceIds, toImageContents } = (globalThis as unknown as Hook).attachments;
    return { ids: items.map(({ id }) => id), referenceIds, contents: await toImageContents() };
  });
  expect(read.referenceIds).toEqual(read.ids);
  const { body } = await api.call<{ items: { id: string }[] }>('GET', `/sessions/${participant.sessionId}/attachments`);
  expect(body.items.map(({ id }) => id).toSorted()).toEqual(read.referenceIds.toSorted());
  expect(read.contents).toEqual(images.map(({ name, data }) => ({ data, mimeType: 'image/png', filename: name })));

  await page.evaluate(() => {
    const { items, remove } = (globalThis as unknown as Hook).attachments;
    if (items[0]) remove(items[0].key);
  });
  await expect.poll(shown).toBe('two.png ready');
  await page.evaluate(() => (globalThis as unknown as Hook).attachments.clear());
  await expect.poll(shown).toBe('');
});
