import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createScriptedFetch, problem, type Script } from '../__fixtures__/scripted-fetch.ts';
import { createRequester } from './requester.ts';
import { createTokenKeeper, type GetToken } from './token-keeper.ts';

function open(
  script: Script,
  { getToken, baseUrl = 'https://a.example/attache/' }: { getToken?: GetToken; baseUrl?: string } = {},
) {
  const { fetch, requests } = createScriptedFetch(script);
  const tokens = createTokenKeeper(getToken);
  return { requests, requester: createRequester({ baseUrl, basePath: '/v1', tokens, fetch }) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The outcome of a call whose pauses are passed over. */
async function settle<T>(call: Promise<T>): Promise<T> {
  const settled = call.then(
    (value) => () => value,
    (error) => () => {
      throw error;
    },
  );
  await vi.runAllTimersAsync();
  return (await settled)();
}

describe('a request', () => {
  it('keeps the prefix of its base, and names its token and its idempotency key', async () => {
    const { requests, requester } = open(() => Response.json({ ok: true }), { getToken: () => 'secret' });
    await settle(requester.call({ method: 'POST', path: '/x', query: { a: 1, b: undefined }, body: { c: 2 } }));
    expect(requests).toMatchObject([{ method: 'POST', url: 'https://a.example/attache/v1/x?a=1', body: '{"c":2}' }]);
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'idempotency-key': expect.any(String),
    });
  });

  it('is kept out of the caches of browsers, where one would wait for another of its address', async () => {
    const options: (RequestInit | undefined)[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      options.push(init);
      return Response.json({});
    };
    const tokens = createTokenKeeper(undefined);
    await createRequester({ baseUrl: '/attache', basePath: '/v1', tokens, fetch }).open({ path: '/x' });
    expect(options).toMatchObject([{ cache: 'no-store' }]);
  });

  it('to a path of the page stays a path', () => {
    expect(open(() => Response.json({}), { baseUrl: '/attache' }).requester.urlOf('/x')).toBe('/attache/v1/x');
  });

  it.each([
    ['a lost network', () => Promise.reject(new TypeError('fetch failed')), 'NETWORK_FAILED'],
    ['503', () => problem(503, 'STORAGE_UNAVAILABLE'), 'STORAGE_UNAVAILABLE'],
    ['408', () => problem(408, 'UPLOAD_TIMEOUT'), 'UPLOAD_TIMEOUT'],
    ['a request in progress', () => problem(409, 'IDEMPOTENCY_IN_PROGRESS'), 'IDEMPOTENCY_IN_PROGRESS'],
    ['a proxy without words', () => new Response('<html>', { status: 502 }), 'ANSWER_UNREADABLE'],
  ])('is sent five times under one key at %s', async (_, script, code) => {
    const { requests, requester } = open(script);
    await expect(settle(requester.call({ method: 'POST', path: '/x' }))).rejects.toMatchObject({ code });
    expect(requests).toHaveLength(5);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it.each([
    ['a used-up quota', () => problem(429, 'QUOTA_EXCEEDED', {}, { 'retry-after': '1' })],
    ['a conflict', () => problem(409, 'SESSION_ENDED')],
    ['a refusal', () => problem(422, 'DELIVERY_BLOCKED')],
    ['a wait of an hour', () => problem(429, 'RATE_LIMITED', {}, { 'retry-after': '3600' })],
    ['an answer that is no JSON', () => new Response('hello')],
  ])('is sent once at %s', async (_, script) => {
    const { requests, requester } = open(script);
    await expect(settle(requester.call({ path: '/x' }))).rejects.toThrow();
    expect(requests).toHaveLength(1);
  });

  it('waits as long as Retry-After says', async () => {
    const { requests, requester } = open((_, index) =>
      index === 0 ? problem(429, 'RATE_LIMITED', {}, { 'retry-after': '20' }) : Response.json({}),
    );
    const call = requester.call({ path: '/x' });
    await vi.advanceTimersByTimeAsync(19_000);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    await call;
    expect(requests).toHaveLength(2);
  });

  it('rejects at once when it is aborted in a pause', async () => {
    const cancel = new AbortController();
    const { requester } = open(() => problem(503, 'BACKLOG_FULL', {}, { 'retry-after': '30' }));
    const call = requester.call({ path: '/x', signal: cancel.signal });
    const refused = expect(call).rejects.toMatchObject({ code: 'REQUEST_ABORTED' });
    await vi.advanceTimersByTimeAsync(1_000);
    cancel.abort();
    await refused;
  });

  it('gives up after a second 401', async () => {
    const asked: boolean[] = [];
    const getToken: GetToken = ({ isRefresh }) => {
      asked.push(isRefresh);
      return isRefresh ? 'new' : 'old';
    };
    const { requests, requester } = open(() => problem(401, 'UNAUTHENTICATED'), { getToken });
    await expect(settle(requester.call({ path: '/x' }))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      status: 401,
    });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    expect(asked).toEqual([false, true]);
  });

  it('waits while the browser is offline', async () => {
    const page = new EventTarget();
    const { addEventListener, removeEventListener } = page;
    vi.stubGlobal('navigator', { onLine: false });
    vi.stubGlobal('addEventListener', addEventListener.bind(page));
    vi.stubGlobal('removeEventListener', removeEventListener.bind(page));
    try {
      const { requests, requester } = open(() => Response.json({ ok: true }));
      const call = requester.call({ path: '/x' });
      await vi.advanceTimersByTimeAsync(600_000);
      expect(requests).toHaveLength(0);
      page.dispatchEvent(new Event('online'));
      expect(await call).toEqual({ ok: true });
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
