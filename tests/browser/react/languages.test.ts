import type { Api } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findViolations } from '../src/find-violations.ts';
import { keepScreenshot } from '../src/keep-screenshot.ts';
import { openBrowserTenant, openParticipant } from '../src/shared-stack.ts';
import { dragFiles } from './drag-files.ts';
import { imageOf, largeImageOf, reportOf, textOf } from './files.ts';
import { type Composers, serveComposers } from './open-composer.ts';

let composers: Composers;
let api: Api;
beforeAll(async () => {
  [composers, api] = await Promise.all([serveComposers(), openBrowserTenant()]);
});
afterAll(() => composers.close());

it('on a narrow screen a composer with many files fits, and its lists are within the reach of keys', async () => {
  const viewport = { width: 360, height: 640 };
  const small = await composers.open({ ...(await openParticipant(api)) }, { viewport });
  await small.choose(...Array.from({ length: 20 }, (_, index) => imageOf(`${index}.png`)));
  await small.expectReady(20);
  await expect.poll(() => small.part('plan').locator('li').count()).toBe(20);
  expect((await small.part('composer').boundingBox())?.height).toBeLessThanOrEqual(viewport.height);
  await small.part('plan').locator('ul').focus();
  expect(await small.page.locator(':focus').getAttribute('aria-label')).toBe('What the agents get');
  expect(await findViolations(small.page)).toEqual([]);
  const place = await openParticipant(api);
  const { page, part, choose, expectReady } = await composers.open(place, { viewport });
  await choose(imageOf('a.png'), reportOf('b.pdf'), textOf('c.txt', 'text'));
  await expectReady(3);
  const body = { target: { profile: 'example', model: 'example-text' } };
  await api.call('PATCH', `/sessions/${place.sessionId}/agents/${place.agentId}`, { body });
  await part('text').fill('Look');
  await part('text').press('Enter');
  await page.locator('[data-attache-becomes="blocked"]').first().waitFor();
  expect(await findViolations(page)).toEqual([]);
});

it('a Latin name stands beside its picture where texts go from right to left', async () => {
  const shown = { ...(await openParticipant(api)), language: 'ar' as const };
  const { part, choose, expectReady } = await composers.open(shown);
  await choose(imageOf('a.png'));
  await expectReady(1);
  const [name, picture] = await Promise.all([part('name').boundingBox(), part('thumbnail').boundingBox()]);
  const gap = (picture?.x ?? 0) - ((name?.x ?? 0) + (name?.width ?? 0));
  expect(gap).toBeGreaterThanOrEqual(0);
  expect(gap).toBeLessThan(20);
});

const shownLanguages = [
  ['en', 'ltr', 'dark'],
  ['ar', 'rtl', 'light'],
  ['zh', 'ltr', 'light'],
] as const;

it.each(process.env.ATTACHE_TEST_AMOUNT === 'few' ? shownLanguages.slice(0, 2) : shownLanguages)(
  'in %s, %s and %s, no state breaks a rule of accessibility',
  async (language, dir, colorScheme) => {
    const shown = { ...(await openParticipant(api)), language, supported: ['image/*', '.pdf'] };
    const { page, part, choose, expectReady, faults } = await composers.open(shown, { colorScheme });
    const keep = async (state: string) => {
      await keepScreenshot(page, `composer-${state}-${language}-${colorScheme}`);
      expect(await findViolations(page), state).toEqual([]);
    };
    expect(await part('composer').getAttribute('dir')).toBe(dir);
    await keep('empty');
    const drag = await dragFiles(page, [import.meta.filename]);
    const box = await part('drop-zone').boundingBox();
    await drag.moveTo((box?.x ?? 0) + 200, (box?.y ?? 0) + 40);
    await part('drop-hint').waitFor();
    await keep('drop');
    await drag.moveTo(2, 2);
    await part('drop-hint').waitFor({ state: 'detached' });
    const protocol = await page.context().newCDPSession(page);
    const line = { offline: false, latency: 0, downloadThroughput: -1 };
    await protocol.send('Network.emulateNetworkConditions', { ...line, uploadThroughput: 60_000 });
    await choose(
      textOf('notes.txt', 'a'),
      imageOf('chart.png', [320, 200]),
      largeImageOf('photo of the harbour at night.png', 200_000),
    );
    await expect.poll(() => part('progress').last().getAttribute('aria-valuenow')).toMatch(/^\d+$/);
    await keep('progress');
    await protocol.send('Network.emulateNetworkConditions', { ...line, uploadThroughput: -1 });
    await choose(reportOf('report.pdf'));
    await expectReady(3);
    await expect.poll(() => part('plan').locator('li').count()).toBe(3);
    await keep('plan');
    await part('text').fill('?');
    await part('text').press('Enter');
    await expect.poll(() => part('delivery').getAttribute('data-attache-status')).toBe('responded');
    await expect.poll(() => page.getByRole('log').locator('img').count()).toBeGreaterThan(2);
    await keep('result');
    expect(faults).toEqual([]);
  },
);
