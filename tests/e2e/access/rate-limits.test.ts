// hosted: long – limits are counted in the process of the public API, before any server is asked
import { randomBytes } from 'node:crypto';
import { createApiKeySecret } from '@attache/api-keys/api-key-secret';
import type { NewApiKey } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';

const off = {
  ...{ perKeyPerSecond: 0, perTenantPerSecond: 0, failedAuthPerMinutePerAddress: 0 },
  ...{ streamsPerKey: 0, streamsPerTenant: 0 },
};

const stacks: Promise<OwnStack>[] = [];
afterAll(async () => {
  for (const stack of await Promise.all(stacks)) await stack.stop();
});

/** One stack for several tests, none of which uses up what another one needs. */
function openOnce(limits: Partial<typeof off>, tenants: string[]): () => Promise<OwnStack> {
  let opened: Promise<OwnStack> | undefined;
  return () => {
    if (opened !== undefined) return opened;
    opened = openOwnStack({ tenants, rateLimits: { ...off, ...limits } });
    stacks.push(opened);
    return opened;
  };
}

const openCounted = openOnce({ perKeyPerSecond: 2, perTenantPerSecond: 3 }, ['other', 'adding', 'guessing']);
const openGuarded = openOnce({ failedAuthPerMinutePerAddress: 5, streamsPerKey: 2, streamsPerTenant: 3 }, ['other']);

const UNKNOWN = '/attachments/att_AAAAAAAAAAAAAAAAAAAAAA';
const statusesOf = async (count: number, ask: () => Promise<{ status: number }>) =>
  (await Promise.all(Array.from({ length: count }, ask))).map(({ status }) => status);
/** The most requests that may have been admitted since then: a busy machine takes longer for as many, so they fall into more windows. */
const mostSince = (startedAt: number, perWindow: number, windowSeconds = 10) =>
  perWindow * (1 + Math.ceil((performance.now() - startedAt) / 1_000 / windowSeconds));
const countOf = (statuses: number[], wanted: number) => statuses.filter((status) => status === wanted).length;

describe('a rate limit', () => {
  it('of a key leaves other keys alone, and says when to come again', async () => {
    const { api } = await openCounted();
    const { body: made } = await api.call<NewApiKey>('POST', '/keys', { body: { name: 'x', scopes: ['admin'] } });
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 120 }, () => api.call('GET', UNKNOWN)));
    const statuses = answers.map(({ status }) => status);
    expect(countOf(statuses, 404)).toBeGreaterThan(0);
    expect(countOf(statuses, 404)).toBeLessThanOrEqual(mostSince(startedAt, 20));
    expect(countOf(statuses, 404) + countOf(statuses, 429)).toBe(120);
    // One of these: the next one may belong to the next window.
    const refused = answers.find(({ status }) => status === 429);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', retryable: true } });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.call('GET', UNKNOWN, { credential: made.secret })).status).toBe(404);
  });

  it('of event streams leaves other tenants alone, and a stream that ends makes room [BX-27]', async () => {
    const { api, apiOf } = await openGuarded();
    const { body: made } = await api.call<NewApiKey>('POST', '/keys', { body: { name: 'x', scopes: ['read'] } });
    const { session } = await api.createSession();
    const follow = async (from: typeof api, sessionId: string, credential = from.apiKey) => {
      const reader = new AbortController();
      const headers = { authorization: `Bearer ${credential}`, accept: 'text/event-stream' };
      const url = `${from.url}/v1/sessions/${sessionId}/events`;
      const { status } = await fetch(url, { headers, signal: reader.signal });
      return { status, end: () => reader.abort() };
    };
    const first = await follow(api, session.id);
    const statuses = [first.status, (await follow(api, session.id)).status, (await follow(api, session.id)).status];
    expect(statuses).toEqual([200, 200, 429]);
    const byOther = () => follow(api, session.id, made.secret);
    expect([(await byOther()).status, (await byOther()).status]).toEqual([200, 429]);
    const foreign = await apiOf('other').createSession();
    expect((await follow(apiOf('other'), foreign.session.id)).status).toBe(200);
    expect((await api.call('GET', `/sessions/${session.id}/events`)).status).toBe(200);
    first.end();
    await expect.poll(async () => (await byOther()).status, { timeout: 30_000 }).toBe(200);
  });

  it('of a tenant adds its keys up, and leaves other tenants alone', async () => {
    const { apiOf } = await openCounted();
    const api = apiOf('adding');
    const secrets = [api.apiKey];
    for (const name of ['a', 'b', 'c']) {
      const { body } = await api.call<NewApiKey>('POST', '/keys', { body: { name, scopes: ['read'] } });
      secrets.push(body.secret);
    }
    let turn = 0;
    const startedAt = performance.now();
    const statuses = await statusesOf(120, () => {
      turn += 1;
      return api.call('GET', UNKNOWN, { credential: secrets[turn % secrets.length] ?? null });
    });
    expect(countOf(statuses, 404)).toBeLessThanOrEqual(mostSince(startedAt, 30));
    expect(countOf(statuses, 429)).toBeGreaterThan(0);
    expect((await apiOf('other').call('GET', UNKNOWN)).status).toBe(404);
  });

  it('meets who guesses ids: nothing is hit, and soon it is 429 [S4]', async () => {
    const api = (await openCounted()).apiOf('guessing');
    const guess = () => api.call('GET', `/attachments/att_${randomBytes(16).toString('base64url')}`);
    const startedAt = performance.now();
    const statuses = await statusesOf(500, guess);
    expect(countOf(statuses, 404) + countOf(statuses, 429)).toBe(500);
    expect(countOf(statuses, 429)).toBeGreaterThan(0);
    expect(countOf(statuses, 404)).toBeLessThanOrEqual(mostSince(startedAt, 20));
  });
});

// In this order: from the second one on, their address may present no key for a minute.
describe('refused credentials of one address', () => {
  let sessionId: string;
  let displayUrl: string;
  let token: string;
  beforeAll(async () => {
    const { api } = await openGuarded();
    const { session } = await api.createSession();
    sessionId = session.id;
    displayUrl = (await api.upload(sessionId, makePng(4, 4))).displayUrl;
    const body = { externalUserId: 'anna', rights: ['events:read'], ttlSeconds: 600 };
    token = String((await api.call('POST', `/sessions/${sessionId}/tokens`, { body })).body.token);
  });

  it('and guessed signatures are counted apart: an expired page does not lock its platform out [S4]', async () => {
    const { api } = await openGuarded();
    const forged = () => {
      const url = new URL(displayUrl);
      url.searchParams.set('sig', randomBytes(32).toString('base64url'));
      return fetch(url);
    };
    const startedAt = performance.now();
    const statuses = await statusesOf(60, forged);
    expect(countOf(statuses, 401)).toBeLessThanOrEqual(mostSince(startedAt, 5, 60));
    expect(countOf(statuses, 401) + countOf(statuses, 429)).toBe(60);
    expect((await fetch(displayUrl)).status).toBe(200);
    expect((await api.call('GET', UNKNOWN)).status).toBe(404);
  });

  it('are answered with 401 up to the limit, then 429; nothing is hit [S4]', async () => {
    const { api } = await openGuarded();
    const guess = () => api.call('GET', UNKNOWN, { credential: createApiKeySecret().apiKey });
    const startedAt = performance.now();
    const statuses = await statusesOf(300, guess);
    expect(countOf(statuses, 401)).toBeGreaterThan(0);
    expect(countOf(statuses, 401)).toBeLessThanOrEqual(mostSince(startedAt, 5, 60));
    expect(countOf(statuses, 401) + countOf(statuses, 429)).toBe(300);
    const refused = await api.call('GET', UNKNOWN, { credential: `ats_${'x'.repeat(80)}.${'y'.repeat(43)}` });
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('do not end what needs no look-up to be known: a session token, a signed URL [S4]', async () => {
    const { api } = await openGuarded();
    await statusesOf(20, () => api.call('GET', UNKNOWN, { credential: 'atk_x' }));
    expect((await api.call('GET', UNKNOWN)).status).toBe(429);
    const read = await api.call('GET', `/sessions/${sessionId}`, { credential: token });
    expect(read.status).toBe(200);
    expect((await fetch(displayUrl)).status).toBe(200);
  });
});
