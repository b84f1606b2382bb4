// hosted: long – one process counts and another tells it and refuses by it, by rows whose contract suite runs on Postgres
// embedded: long – a day of tokens and keys that wait are turns of many agents
import type { ServerResponse } from 'node:http';
import { type UseCounts, type UseReport, useReportSchema } from '@attache/contracts';
import { type Api, scriptedAgent } from '@attache/test-harness';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type ModelProvider, startModelProvider } from '../steps/model-provider.ts';
import { type Place, runScript, takeTurn } from '../steps/turns.ts';

const command = [process.execPath, scriptedAgent, 'claude-agent-acp'];
const inTime = { timeout: 60_000 };

let provider: ModelProvider;
let stack: OwnStack;

beforeAll(async () => {
  provider = await startModelProvider();
  const endpoint = { api: 'anthropic', baseUrl: provider.url, apiKey: 'tenant:model-key' } as const;
  const counted = { runtime: 'acp', command, ownTools: 'none', provider: 'anthropic', endpoint } as const;
  stack = await openOwnStack({ tenants: ['second', 'third', 'limited', 'free', 'uncounted'], profiles: { counted } });
});
afterEach(() => provider.behave(undefined));
afterAll(async () => {
  await stack?.stop();
  await provider?.stop();
});

/** A tenant's agent, whose key is the same as that of all others. */
async function openPlace(api: Api, model = 'model-1'): Promise<Place> {
  expect((await api.call('PUT', '/secrets/model-key', { body: { value: 'the-shared-key' } })).status).toBe(200);
  return api.createSession({ profile: 'counted', model });
}

async function readUse(api: Api, by: UseReport['by']): Promise<UseReport> {
  const { status, body } = await api.call('GET', `/usage?by=${by}`);
  expect(status).toBe(200);
  return useReportSchema.parse(body);
}

/** Adds up figures as the provider counts them, each request another. */
function startCounting() {
  const sums = { requests: 0, uncountedRequests: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
  provider.behave((response) => {
    sums.requests += 1;
    const [anew, cached, output] = [10 + sums.requests, 100 * sums.requests, sums.requests];
    sums.inputTokens += anew + cached;
    sums.cachedInputTokens += cached;
    sums.outputTokens += output;
    const started = {
      type: 'message_start',
      message: { usage: { input_tokens: anew, cache_read_input_tokens: cached } },
    };
    const ended = { type: 'message_delta', delta: {}, usage: { output_tokens: output } };
    const events = [started, ended].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.setHeader('content-type', 'text/event-stream').end(events.join(''));
  });
  return sums;
}

function sumOf({ items }: UseReport) {
  const sum = (name: keyof UseCounts) => items.reduce((total, item) => total + item[name], 0);
  const [requests, uncountedRequests] = [sum('requests'), sum('uncountedRequests')];
  const tokens = { inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') };
  return { requests, uncountedRequests, ...tokens, cachedInputTokens: sum('cachedInputTokens') };
}

describe('what a tenant has used', () => {
  it('comes by day, session and model, and equals what its provider counted; a receipt has its part', async () => {
    const sums = startCounting();
    const { api } = stack;
    const [first, second] = [await openPlace(api), await openPlace(api, 'model-2')];
    await runScript(api, first, ['ask-model', 'ask-model']);
    const { delivery } = await takeTurn(api, second, 'do: ask-model\ndo: ask-model');
    const cachedInputTokens = 300 + 400;
    const inputTokens = cachedInputTokens + 13 + 14;
    // The second request holds the message of the first: `"hello"` as it is in the body, or the block that it is.
    expect(delivery.receipt?.usage).toMatchObject({ requests: 2, inputTokens, cachedInputTokens, outputTokens: 7 });
    expect(delivery.receipt?.usage?.resentBytes).toBeGreaterThanOrEqual('"hello"'.length);

    await expect.poll(async () => sumOf(await readUse(api, 'day')), inTime).toEqual(sums);
    const [bySession, byModel] = [await readUse(api, 'session'), await readUse(api, 'model')];
    expect([sumOf(bySession), sumOf(byModel)]).toEqual([sums, sums]);
    const ids = bySession.items.map((item) => 'sessionId' in item && item.sessionId);
    expect(ids.toSorted()).toEqual([first.session.id, second.session.id].toSorted());
    expect(byModel.items).toMatchObject([
      { provider: 'anthropic', model: 'model-1', requests: 2, inputTokens: 323 },
      { provider: 'anthropic', model: 'model-2', requests: 2, inputTokens },
    ]);
    expect(sumOf(await readUse(stack.apiOf('third'), 'session'))).toMatchObject({ requests: 0, inputTokens: 0 });
  });

  it('says of how many requests a provider counted nothing, and estimates their tokens', async () => {
    const api = stack.apiOf('third');
    await runScript(api, await openPlace(api), ['ask-model']);
    await expect
      .poll(async () => (await readUse(api, 'day')).items, inTime)
      .toMatchObject([
        { requests: 1, uncountedRequests: 1, inputTokens: Math.ceil((provider.bodies.at(-1)?.length ?? 0) / 3) },
      ]);
  });

  it.each([
    ['of nothing', ''],
    ['of something else', '?by=user'],
    ['of a day that is none', '?by=day&from=2026-02-31'],
    ['of days in the wrong order', '?by=day&from=2026-02-02&to=2026-02-01'],
    ['behind a cursor that nobody gave out', '?by=session&cursor=x'],
  ])('is not told %s', async (_, query) => {
    expect(await stack.api.call('GET', `/usage${query}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    });
  });

  it('needs the right to manage the tenant [AT-15]', async () => {
    const body = { name: 'all but admin', scopes: ['sessions', 'attachments', 'read'] };
    const { secret = '' } = (await stack.api.call<{ secret: string }>('POST', '/keys', { body })).body;
    expect((await stack.api.call('GET', '/usage?by=day', { credential: secret })).status).toBe(403);
  });
});

describe("a tenant's tokens of a day", () => {
  it('hold where the provider counts nothing, too', async () => {
    const api = stack.apiOf('uncounted');
    const place = await openPlace(api);
    await stack.operate('tenant.set', { name: stack.nameOf('uncounted'), tokensPerDay: 100 });
    const { delivery } = await takeTurn(api, place, 'do: ask-until 429\ndo: need-model');
    expect(delivery).toMatchObject({ failure: { code: 'attachment_provider_quota_exceeded' } });
    const { requests, uncountedRequests, inputTokens } = sumOf(await readUse(api, 'day'));
    expect([uncountedRequests, inputTokens >= 100]).toEqual([requests, true]);
  });

  it('refuse its messages with 429 and its agents’ requests once they are used, while another’s turn ends', async () => {
    startCounting();
    const [limited, free] = [stack.apiOf('limited'), stack.apiOf('free')];
    const [place, other] = [await openPlace(limited), await openPlace(free)];
    const name = stack.nameOf('limited');
    const { tenant } = await stack.operate('tenant.set', { name, tokensPerDay: 1_000 });
    expect(tenant.tokensPerDay).toBe(1_000);
    // Its turn runs when the last token is used, and asks on.
    const { delivery } = await takeTurn(limited, place, 'do: ask-until 429\ndo: need-model');
    expect(delivery).toMatchObject({
      status: 'failed',
      failure: { code: 'attachment_provider_quota_exceeded', retryable: true },
    });
    await expect
      .poll(async () => sumOf(await readUse(limited, 'day')), inTime)
      .toSatisfy(
        ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
          inputTokens + outputTokens >= 1_000,
      );
    const draft = { to: [place.agent.id], text: 'hello', attachmentIds: [] };
    const refused = await limited.call('POST', `/sessions/${place.session.id}/messages`, { body: draft });
    expect(refused).toMatchObject({ status: 429, body: { code: 'QUOTA_EXCEEDED', retryable: true } });
    expect(Number(refused.headers.get('retry-after'))).toSatisfy((seconds: number) => seconds > 0 && seconds <= 86_400);

    expect(await runScript(free, other, ['ask-model'])).toEqual([200]);
    await stack.operate('tenant.set', { name, tokensPerDay: null });
    expect((await limited.call('POST', `/sessions/${place.session.id}/messages`, { body: draft })).status).toBe(202);
    const { items } = (await limited.call<{ items: { action: string; data: object }[] }>('GET', '/audit')).body;
    expect(items.filter(({ action }) => action === 'tenant.changed').map(({ data }) => data)).toMatchObject([
      { tokensPerDay: 'none' },
      { tokensPerDay: 1_000 },
      {},
    ]);
  });
});

const limit = (response: ServerResponse): void => void response.writeHead(429, { 'retry-after': '10' }).end('{}');

async function sendScript(api: Api, { session, agent }: Place, line: string): Promise<string> {
  const { deliveries } = await api.send(session.id, { to: [agent.id], text: `do: ${line}` });
  return deliveries[0].id;
}

const readTimeline = async (api: Api, deliveryId: string): Promise<{ status: string; code?: string }[]> =>
  (await api.call<{ delivery: { timeline: { status: string; code?: string }[] } }>('GET', `/deliveries/${deliveryId}`))
    .body.delivery.timeline;

describe('a key that two tenants share', () => {
  it('is held after a 429 with Retry-After, and they take turns; their timelines say so', async () => {
    const apis = { a: stack.api, b: stack.apiOf('second') };
    const places = { a: await openPlace(apis.a), b: await openPlace(apis.b) };
    // Both run before the key is limited.
    for (const name of ['a', 'b'] as const) await runScript(apis[name], places[name], ['process']);
    const seen: string[] = [];
    provider.behave((response, body) => {
      seen.push(JSON.parse(body).messages[0].content);
      if (seen.length === 1) limit(response);
      else response.end('{}');
    });
    expect(await runScript(apis.a, places.a, ['ask-model first'])).toEqual([429]);
    const waits = { status: 'written', code: 'attachment_provider_rate_limited' };
    const deliveries: string[] = [];
    for (const name of ['a', 'b'] as const) {
      const deliveryId = await sendScript(apis[name], places[name], `ask-together ${name}`);
      await expect
        .poll(() => readTimeline(apis[name], deliveryId), inTime)
        .toEqual(expect.arrayContaining([expect.objectContaining(waits)]));
      deliveries.push(deliveryId);
    }
    expect(seen).toEqual(['first']);
    expect((await apis.a.settled(deliveries[0] ?? '')).status).toBe('responded');
    expect((await apis.b.settled(deliveries[1] ?? '')).status).toBe('responded');
    expect(seen[1]).toBe('a');
    expect(seen.slice(2, 4)).toContain('b');
    expect(seen.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b', 'b', 'first']);
    for (const [index, api] of [apis.a, apis.b].entries()) {
      const timeline = await readTimeline(api, deliveries[index] ?? '');
      expect(timeline.filter(({ code }) => code === waits.code)).toHaveLength(1);
      expect(timeline.at(-1)?.status).toBe('responded');
    }
  });
});
