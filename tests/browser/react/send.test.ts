import type { Api } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowserTenant, openParticipant } from '../src/shared-stack.ts';
import { imageOf, reportOf } from './files.ts';
import { type Composers, serveComposers } from './open-composer.ts';

let composers: Composers;
let api: Api;
beforeAll(async () => {
  [composers, api] = await Promise.all([serveComposers(), openBrowserTenant()]);
});
afterAll(() => composers.close());

describe('a message', () => {
  it('goes to the agent with its files, and the answer is read as it comes', async () => {
    const { page, part, choose, expectReady, faults } = await composers.open(await openParticipant(api));
    await choose(reportOf('report.pdf'), imageOf('chart.png'));
    await expectReady(2);
    await expect.poll(() => part('plan').innerText()).toContain('page images');
    await part('text').fill('What is it?');
    await part('text').press('Enter');
    await expect.poll(() => part('log').innerText()).toContain('report.pdf');
    await expect.poll(() => part('log').innerText(), { timeout: 60_000 }).toContain('has answered');
    await page.screenshot({ path: '/tmp/c-shot.png', fullPage: true });
    process.stdout.write(await page.locator('body').innerText());
    expect(faults).toEqual([]);
  });
});
