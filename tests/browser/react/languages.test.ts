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

it.each([
  ['en', 'ltr', 'dark'],
  ['zh', 'ltr', 'light'],
  ['ar', 'rtl', 'light'],
] as const)('in %s, %s and %s, no state breaks a rule of accessibility', async (language, dir, colorScheme) => {
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
});
