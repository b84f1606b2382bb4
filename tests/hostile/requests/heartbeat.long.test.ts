import type { NewApiKey } from '@attache/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile();
});
afterAll(() => stack.stop());

it('a stream whose key is revoked ends by itself, at its next sign of life [S31]', async () => {
  const { url, api, session } = stack;
  const { body: made } = await api.call<NewApiKey>('POST', '/keys', { body: { name: 'x', scopes: ['read'] } });
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${made.secret}` };
  const response = await fetch(`${url}/v1/sessions/${session.id}/events`, { headers });
  expect(response.status).toBe(200);
  const rest = response.text();
  expect((await api.call('DELETE', `/keys/${made.key.id}`)).status).toBe(204);
  expect(await rest).toContain(': still here');
});
