import { expect, it, vi } from 'vitest';
import { ask, paths, startRelayed } from '../__fixtures__/relayed.ts';

const usage = { prompt_tokens: 50, completion_tokens: 6, prompt_tokens_details: { cached_tokens: 40 } };
const path = paths['openai-chat'];

async function askOnce(answer: object, { status = 200, asked = {} } = {}) {
  await using relayed = await startRelayed();
  relayed.provider.behave((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end(JSON.stringify(answer)));
  });
  const opened = relayed.open({ endpoint: { api: 'openai-chat' } });
  const { text } = await ask(opened, { path, ...asked });
  await vi.waitFor(() => expect(relayed.records).toHaveLength(1), { timeout: 60_000 });
  return { record: relayed.records[0], text };
}

it('the record of a request has what the provider counted, and the program its answer as it came', async () => {
  const answer = { choices: [], usage };
  const { record, text } = await askOnce(answer);
  expect(text).toBe(JSON.stringify(answer));
  expect(record).toMatchObject({
    ...{ hasLeft: true, usage: { inputTokens: 50, cachedInputTokens: 40, outputTokens: 6 } },
  });
});

it('has none of a refusal, of an answer without it, and of what is no generating request', async () => {
  expect((await askOnce({ choices: [] })).record).toMatchObject({ hasLeft: true, usage: undefined });
  expect((await askOnce({ usage }, { status: 400 })).record).toMatchObject({ hasLeft: true, usage: undefined });
  const asked = { path: '/v1/models', method: 'GET' };
  expect((await askOnce({ usage }, { asked })).record).toMatchObject({ hasLeft: false, usage: undefined });
});

it('a tenant whose tokens are used gets a 429 that is not to be tried again, and its errands pass', async () => {
  await using relayed = await startRelayed();
  const opened = relayed.open({ endpoint: { api: 'openai-chat' }, findQuotaWait: () => 3_600 });
  const { status, headers, text } = await ask(opened, { path });
  expect(status).toBe(429);
  expect(headers).toMatchObject({ 'retry-after': '3600', 'x-should-retry': 'false' });
  expect(JSON.parse(text).error).toMatchObject({ code: 'relay_tenant_quota', type: 'rate_limit_error' });
  expect(relayed.provider.countBegun()).toBe(0);
  expect((await ask(opened, { path: '/v1/models', method: 'GET' })).status).toBe(200);
  expect(relayed.records.map(({ refused, hasLeft }) => [refused, hasLeft])).toEqual([
    ['relay_tenant_quota', false],
    [undefined, false],
  ]);
});
