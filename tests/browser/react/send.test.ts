import type { Api } from '@attache/test-harness';
import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepScreenshot } from '../src/keep-screenshot.ts';
import { openBrowserTenant, openParticipant } from '../src/shared-stack.ts';
import { imageOf, reportOf } from './files.ts';
import { type Composers, serveComposers } from './open-composer.ts';

let composers: Composers;
let api: Api;
beforeAll(async () => {
  // Its strict mode runs every effect twice.
  [composers, api] = await Promise.all([serveComposers({ mode: 'development' }), openBrowserTenant()]);
});
afterAll(() => composers.close());

const plain = (text: string | null) => (text ?? '').replaceAll(/[\u2068\u2069]/g, '');

describe('a message', () => {
  it('goes as its plan said, and the answer is read as it comes, with what tools made [DL-08]', async () => {
    const { page, part, choose, expectReady, faults } = await composers.open(await openParticipant(api));
    await choose(reportOf('report.pdf'), imageOf('chart.png', [320, 200]));
    await expectReady(2);
    await expect
      .poll(async () => plain(await part('plan').textContent()))
      .toContain('agent-1 gets page images of report.pdf');
    expect(plain(await part('plan').textContent())).toContain('agent-1 gets chart.png as it is');
    await keepScreenshot(page, 'composer-plan-en');
    // Pieces of an answer that come before the page follows the session are not repeated.
    await part('connection').waitFor({ state: 'detached' });
    await part('text').fill('What is it?\nexample: slow 400');
    await part('text').press('Enter');
    await part('writing').waitFor();
    await expect.poll(() => part('chip').count()).toBe(0);
    expect(await part('text').inputValue()).toBe('');
    const log = page.getByRole('log');
    await expect.poll(() => log.textContent()).toContain('has answered');
    await expect.poll(() => log.locator('pre').textContent()).toContain('palette-of-chart.png');
    await expect.poll(() => log.locator('img').count()).toBe(2);
    await part('writing').waitFor({ state: 'detached' });
    await keepScreenshot(page, 'composer-result-en');
    expect(faults).toEqual([]);
  });

  it('that the agent cannot get is blocked before it is sent, with the reason and the way out [DL-08 DL-73]', async () => {
    const place = await openParticipant(api);
    const { page, part, chip, choose, expectReady } = await composers.open({ ...place, supported: ['image/*'] });
    await choose(imageOf('chart.png'));
    await expectReady(1);
    await part('text').fill('Look');
    // The draft was good when it was made.
    await retarget(place, 'example-text');
    await part('text').press('Enter');
    const send = page.getByRole('button', { name: 'Send' });
    await expect.poll(() => send.getAttribute('aria-disabled')).toBe('true');
    const reason = await part('plan').locator('[data-attache-part="reason"]').textContent();
    expect(reason).toContain('example-text');
    // The reason is in one place that people see.
    expect(await part('obstacle').textContent()).toBe('See the reasons above.');
    expect(await part('send-error').count()).toBe(0);
    await expect.poll(() => part('assertive').textContent()).toContain(reason);
    expect(await part('text').inputValue()).toBe('Look');
    await keepScreenshot(page, 'composer-blocked-en');
    await send.press('Enter');
    expect((await api.events(place.sessionId)).filter(({ kind }) => kind === 'message.accepted')).toEqual([]);
    // One way out is another model, the other one to leave the file out.
    await retarget(place, 'example-vision');
    await send.press('Enter');
    await expect.poll(() => send.getAttribute('aria-disabled')).toBe('false');
    await chip('chart.png').locator('[data-attache-part="remove"]').click();
    await expect.poll(() => send.getAttribute('aria-disabled')).toBe('false');
    await send.click();
    await api.logged(place.sessionId, ({ kind }) => kind === 'message.accepted');
  });

  it('that fails keeps its text and files, and the next try sends them once', async () => {
    const place = await openParticipant(api);
    const { page, part, choose, expectReady } = await composers.open(place);
    await choose(imageOf('chart.png'));
    await expectReady(1);
    await part('text').fill('Look');
    const refuse = (route: Route) =>
      route.fulfill({ status: 403, json: { code: 'FORBIDDEN', detail: 'Not now.', retryable: false } });
    const messages = /\/messages$/;
    await page.route(messages, refuse);
    const send = page.getByRole('button', { name: 'Send' });
    await send.click();
    await expect.poll(() => part('send-error').textContent()).toBe('Not now.');
    expect(await part('text').inputValue()).toBe('Look');
    await expect.poll(() => part('name').allTextContents()).toEqual(['chart.png']);
    await page.unroute(messages, refuse);
    await expect.poll(() => send.getAttribute('aria-disabled')).toBe('false');
    await send.dblclick();
    await expect.poll(() => part('chip').count()).toBe(0);
    await expect.poll(() => page.getByRole('log').textContent()).toContain('has answered');
    expect((await api.events(place.sessionId)).filter(({ kind }) => kind === 'message.accepted')).toHaveLength(1);
  });

  it('keeps what is written while it is being sent', async () => {
    const { page, part } = await composers.open(await openParticipant(api));
    const held = Promise.withResolvers<void>();
    await page.route(/\/messages$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await part('text').fill('first');
    await part('text').press('Enter');
    await page.getByRole('button', { name: 'Sending…' }).waitFor();
    await part('text').press('End');
    await page.keyboard.type(' MORE');
    held.resolve();
    await expect.poll(() => part('text').inputValue()).toBe(' MORE');
  });

  it('is refused by a session that has ended, without a hint to try again', async () => {
    const place = await openParticipant(api);
    const { page, part } = await composers.open(place);
    const status = 409;
    const refuse = (route: Route) =>
      route.fulfill({ status, json: { code: 'SESSION_ENDED', detail: 'The session has ended.', retryable: false } });
    await page.route(/\/messages$/, refuse);
    await part('text').fill('Hello');
    await part('text').press('Enter');
    await expect.poll(() => part('obstacle').textContent()).toBe('This session has ended.');
    expect(await page.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled')).toBe('true');
    expect(await part('text').inputValue()).toBe('Hello');
  });

  it('whose file is gone by now shows which one', async () => {
    const place = await openParticipant(api);
    const composer = await composers.open(place);
    await composer.choose(imageOf('gone.png'), imageOf('here.png'));
    await composer.expectReady(2);
    await removeFile(place.sessionId, 'gone.png');
    await composer.part('text').fill('Look');
    await composer.part('text').press('Enter');
    await expect.poll(() => composer.chip('gone.png').getAttribute('data-attache-status')).toBe('error');
    expect(await composer.chip('here.png').getAttribute('data-attache-status')).toBe('ready');
  });

  it('is not sent by the Enter that ends a composed word', async () => {
    const { page, part } = await composers.open(await openParticipant(api));
    const protocol = await page.context().newCDPSession(page);
    const requests: string[] = [];
    page.on('request', (request) => void requests.push(request.url()));
    await part('text').focus();
    await protocol.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 };
    await protocol.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
    await protocol.send('Input.insertText', { text: '日本' });
    await expect.poll(() => part('text').inputValue()).toBe('日本');
    expect(requests.filter((url) => url.endsWith('/messages'))).toEqual([]);
    await part('text').press('Enter');
    await expect.poll(() => requests.filter((url) => url.endsWith('/messages')).length).toBe(1);
  });
});

it('what is written and attached in one session is not carried into another', async () => {
  const place = await openParticipant(api);
  const { sessionId: otherSessionId } = await openParticipant(api);
  const { page, part, choose, expectReady } = await composers.open({ ...place, otherSessionId });
  await choose(imageOf('chart.png'));
  await expectReady(1);
  await part('text').fill('for the first one');
  await page.getByRole('button', { name: 'Other session' }).click();
  await expect.poll(() => part('text').inputValue()).toBe('');
  expect(await part('chip').count()).toBe(0);
  await part('text').fill('for the second one');
  expect(await part('text').inputValue()).toBe('for the second one');
  expect(await part('polite').textContent()).not.toContain('removed');
});

it('everything can be done by keys alone', async () => {
  const { page, part, expectReady } = await composers.open(await openParticipant(api));
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const chosen = page.waitForEvent('filechooser');
  await part('text').focus();
  await press('Tab');
  await press('Enter');
  const picker = await chosen;
  await picker.setFiles([imageOf('a.png'), imageOf('b.png')]);
  await expectReady(2);
  await part('plan').waitFor();
  // The plan scrolls, so it is on the way.
  await press('Shift+Tab', 'Shift+Tab', 'Shift+Tab');
  expect(plain(await page.locator(':focus').getAttribute('aria-label'))).toBe('Remove b.png');
  await press('Enter');
  expect(plain(await page.locator(':focus').getAttribute('aria-label'))).toBe('Remove a.png');
  await press('Tab');
  await page.keyboard.type('Hello');
  await press('Tab', 'Tab', 'Tab');
  expect(await page.locator(':focus').textContent()).toBe('Send');
  await expect.poll(() => page.locator(':focus').getAttribute('aria-disabled')).toBe('false');
  await press('Enter');
  await expect.poll(() => page.getByRole('log').textContent()).toContain('Hello');
});

async function removeFile(sessionId: string, name: string): Promise<void> {
  const { body } = await api.call<{ items: { id: string; name: string }[] }>(
    'GET',
    `/sessions/${sessionId}/attachments`,
  );
  const { id } = body.items.find((each) => each.name === name) ?? {};
  expect((await api.call('DELETE', `/attachments/${id}`)).status).toBe(204);
}

async function retarget({ sessionId, agentId }: { sessionId: string; agentId: string }, model: string): Promise<void> {
  const body = { target: { profile: 'example', model } };
  const { status } = await api.call('PATCH', `/sessions/${sessionId}/agents/${agentId}`, { body });
  expect(status).toBe(200);
}
