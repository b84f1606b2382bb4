// hosted: every – the gateway of each stack counts the connections of its agents
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { runScript, takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['other'] });
});
afterAll(() => stack.stop());

it('an agent opens no more connections than it may, and while it holds them others upload and are served [BX-32]', async () => {
  const place = await stack.api.createSession({ profile: 'scripted', model: 'script' });
  const [answers] = (await runScript(stack.api, place, ['open-many 700'])) as [Record<string, number>];
  // One that is refused is closed at once: a program that writes to it then gets no answer.
  const { 404: admitted = 0, 429: refused = 0, none = 0 } = answers;
  expect(admitted + refused + none).toBe(700);
  expect(admitted).toBeGreaterThan(200);
  expect(admitted).toBeLessThanOrEqual(256);
  const api = stack.apiOf('other');
  const other = await api.createSession({ profile: 'seeing', model: 'script' });
  const file = { name: 'a.png', type: 'image/png' };
  const { attachment } = await api.upload(other.session.id, Uint8Array.from(makePng(20, 20)), file);
  expect((await api.inspected(attachment.id)).status).toBe('ready');
  expect((await takeTurn(api, other, 'do: list', [attachment.id])).answer).toBe(JSON.stringify([[attachment.id]]));
});
