import { randomUUID } from 'node:crypto';
import { request as sendRequest } from 'node:http';
import { createApiKeySecret } from '@attache/api-keys/api-key-secret';
import { Fault, idFromUuid } from '@attache/contracts';
import { insertApiKey, replaceOrigins } from '@attache/database';
import { countRoundTrips } from '@attache/database/contract';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Fixture, openFixture } from '../../__fixtures__/open-fixture.ts';
import { startIngest } from '../../ingest.ts';
import type { IngestDeps, IngestSettings } from '../../ingest-deps.ts';
import { KEPT_ORIGIN_MS } from './kept-origins.ts';

type Options = Partial<IngestSettings> & { deps?: Partial<IngestDeps> };

async function makeKey({ deps, tenantId }: Fixture): Promise<string> {
  const id = randomUUID();
  const { apiKey, secretHash } = createApiKeySecret(id);
  const key = { tenantId, id, name: 'key', secretHash, trustedTrace: false, scopes: ['admin' as const] };
  await deps.db.asTenant(tenantId, (tx) => insertApiKey(tx, key));
  return apiKey;
}

/** A service of its own over the shared database, with a tenant's key. */
async function serve({ deps: given, ...settings }: Options = {}) {
  const fixture = await openFixture();
  const { db, take } = countRoundTrips(fixture.deps.db);
  const ingest = await startIngest({
    ...{ ...fixture.deps, db, ...given },
    settings: { ...fixture.deps.settings, ...settings },
  });
  onTestFinished(() => ingest.stop());
  const apiKey = await makeKey(fixture);
  const sessionPath = `/v1/sessions/${idFromUuid('session', fixture.sessionId)}`;
  const ask = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(`${ingest.url}${path}`, { headers: { authorization: `Bearer ${apiKey}`, ...headers }, ...init });
  const preflight = (origin: string, method = 'POST') =>
    fetch(`${ingest.url}${sessionPath}/messages`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method },
    });
  const save = (origins: string[], { tenantId } = fixture) =>
    fixture.deps.db.asTenant(tenantId, (tx) => replaceOrigins(tx, tenantId, origins));
  return { ...{ fixture, ingest, take, ask, preflight, save, sessionPath, apiKey }, url: ingest.url };
}

const newOrigin = () => `https://${randomUUID()}.example`;
const allowedOf = (answer: Response) => answer.headers.get('access-control-allow-origin');
const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;

describe('a preflight', () => {
  it('passes for the operator’s origin and for one of any tenant, with what clients send and read', async () => {
    const [operators, tenants] = [newOrigin(), newOrigin()];
    const { preflight, save } = await serve({ corsOrigins: [operators] });
    await save([tenants]);
    for (const origin of [operators, tenants]) {
      for (const method of ['POST', 'TRACE']) {
        const answer = await preflight(origin, method);
        expect([answer.status, allowedOf(answer)]).toEqual([204, origin]);
        expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
        expect(answer.headers.get('access-control-max-age')).toBe('600');
        expect(answer.headers.get('vary')).toBe('Origin');
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
        const headers = answer.headers.get('access-control-allow-headers');
        for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'Repr-Digest', 'Last-Event-ID'])
          expect(headers).toContain(name);
        for (const name of ['traceparent', 'Range', 'If-None-Match']) expect(headers).toContain(name);
      }
    }
  });

  it.each([
    ...['null', '*', 'https://ann@a.example', 'https://a.example/', 'https://A.example', 'https://a.example.'],
    ...['https://a.example, https://b.example', 'https://[::1', 'https://bücher.example'].map(encodeLatin),
    ...['http://localhost:5173', 'https://a.example:443'],
  ])('is refused for %s, with the reason and the setting', async (origin) => {
    const { preflight, save } = await serve({ corsOrigins: [] });
    await save(['https://a.example', 'https://b.example']);
    const answer = await preflight(origin);
    expect([answer.status, allowedOf(answer), answer.headers.get('vary')]).toEqual([403, null, 'Origin']);
    const problem = await answer.json();
    expect(problem).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED', type: '/docs/errors/origin_not_allowed' });
    for (const named of ['ATTACHE_CORS_ORIGINS', 'PUT /v1/cors-origins'])
      expect(problem).toMatchObject({ detail: expect.stringContaining(named) });
  });

  it('names an origin that nobody can allow by no name', async () => {
    const { preflight } = await serve({ corsOrigins: [] });
    const detail = expect.stringMatching(/^Pages of this origin, which nobody can allow, may not do this: /);
    expect(await (await preflight('null')).json()).toMatchObject({ detail });
  });

  it('of a page on this machine passes where that is the default, and nothing that only looks like it', async () => {
    const { preflight } = await serve({ corsOrigins: 'localhost' });
    for (const origin of ['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:80001'.slice(0, -1)])
      expect((await preflight(origin)).status).toBe(204);
    for (const origin of ['http://localhost.evil.example', 'http://localhost@evil.example', 'http://LOCALHOST:1'])
      expect((await preflight(origin)).status).toBe(403);
  });

  it('from an address that asks for too many unknown origins has to wait', async () => {
    const rateLimits = { perKeyPerSecond: 0, perTenantPerSecond: 0, failedAuthPerMinutePerAddress: 2 };
    const known = newOrigin();
    const { preflight, save, take } = await serve({ rateLimits, corsOrigins: [] });
    await save([known]);
    expect((await preflight(known)).status).toBe(204);
    for (const _ of [1, 2]) expect((await preflight(newOrigin())).status).toBe(403);
    take();
    expect((await preflight(newOrigin())).status).toBe(429);
    expect((await preflight(known)).status).toBe(204);
    expect(take()).toBe(0);
  });

  it('for an origin that was known passes from such an address after the kept answer is old, and while it is allowed', async () => {
    const rateLimits = { perKeyPerSecond: 0, perTenantPerSecond: 0, failedAuthPerMinutePerAddress: 1 };
    const known = newOrigin();
    const { preflight, save, take } = await serve({ rateLimits, corsOrigins: [] });
    await save([known]);
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => clock.mockRestore());
    // A whole number: sums of it are exact.
    const now = Math.ceil(performance.now());
    clock.mockImplementation(() => now);
    expect((await preflight(known)).status).toBe(204);
    expect((await preflight(newOrigin())).status).toBe(403);
    clock.mockImplementation(() => now + KEPT_ORIGIN_MS);
    take();
    for (const _ of [1, 2]) expect((await preflight(known)).status).toBe(204);
    expect(take()).toBe(1);
    await save([]);
    clock.mockImplementation(() => now + 2 * KEPT_ORIGIN_MS);
    // The look-up that finds it gone counts as well, and its answer is kept.
    expect([(await preflight(known)).status, (await preflight(known)).status]).toEqual([429, 403]);
  });
});

describe('a list of origins that is saved', () => {
  it('holds in its process from the answer on, although an answer before it is kept', async () => {
    const { preflight, ask } = await serve({ corsOrigins: [] });
    const [first, second] = [newOrigin(), newOrigin()];
    const save = (origins: string[]) =>
      ask(
        '/v1/cors-origins',
        { 'content-type': 'application/json' },
        { method: 'PUT', body: JSON.stringify({ origins }) },
      );
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => clock.mockRestore());
    clock.mockReturnValue(performance.now());
    const statuses = async () => [(await preflight(first)).status, (await preflight(second)).status];
    expect(await statuses()).toEqual([403, 403]);
    expect((await save([first])).status).toBe(200);
    expect(await statuses()).toEqual([204, 403]);
    expect((await save([second])).status).toBe(200);
    expect(await statuses()).toEqual([403, 204]);
  });
});

// Browsers spell such names in ASCII; a header cannot hold them otherwise.
function encodeLatin(text: string): string {
  return Buffer.from(text).toString('latin1');
}

describe('a request of a page', () => {
  it('is judged by the tenant of its credential: the origin of another is refused, and nothing is done', async () => {
    const { ask, save, fixture, sessionPath } = await serve({ corsOrigins: [] });
    const other = await openFixture();
    const [mine, theirs] = [newOrigin(), newOrigin()];
    await save([mine]);
    await save([theirs], other);
    const end = (origin: string) => ask(`${sessionPath}/end`, { origin }, { method: 'POST' });
    for (const origin of [theirs, newOrigin(), 'null', `${mine}/`]) {
      const answer = await end(origin);
      expect([answer.status, await codeOf(answer)]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
      expect(allowedOf(answer)).toBe(origin === theirs ? theirs : null);
    }
    expect((await fixture.readEvents()).map(({ kind }) => kind)).not.toContain('session.ended');
    const answer = await end(mine);
    expect([answer.status, allowedOf(answer), answer.headers.get('vary')]).toEqual([202, mine, 'Origin']);
  });

  it('with two Origin headers is refused', async () => {
    const { url, apiKey, sessionPath, save } = await serve({ corsOrigins: [] });
    const origins = [newOrigin(), newOrigin()];
    await save(origins);
    const status = await new Promise((resolve, reject) => {
      const headers = ['Host', new URL(url).host, 'Authorization', `Bearer ${apiKey}`];
      for (const origin of origins) headers.push('Origin', origin);
      sendRequest(`${url}${sessionPath}`, { headers }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });

  it('of the service’s own address, or of its public one, needs to be in no list', async () => {
    const { ask, url, sessionPath } = await serve({ corsOrigins: [], publicUrl: 'https://files.example/at' });
    for (const origin of [url, 'https://files.example']) {
      expect((await ask(sessionPath, { origin })).status).toBe(200);
    }
    expect((await ask(sessionPath, { origin: 'http://files.example' })).status).toBe(403);
  });

  it('costs a look-up of the origin once in some seconds, and one without Origin costs none', async () => {
    const { ask, save, take, sessionPath } = await serve({ corsOrigins: [] });
    const origin = newOrigin();
    await save([origin]);
    await ask(sessionPath, {});
    // The first use of a key is noted apart from its request.
    await expect.poll(() => take(), { timeout: 30_000 }).toBe(0);
    expect((await ask(sessionPath, {})).status).toBe(200);
    const usual = take();
    expect((await ask(sessionPath, { origin })).status).toBe(200);
    expect(take()).toBe(usual + 2);
    expect((await ask(sessionPath, { origin })).status).toBe(200);
    expect(take()).toBe(usual);
  });

  it('reads every refusal: the headers are on each problem', async () => {
    const origin = newOrigin();
    const rateLimits = { perKeyPerSecond: 1, perTenantPerSecond: 0, failedAuthPerMinutePerAddress: 0 };
    const full = { isFull: () => true };
    const { ask, save, sessionPath } = await serve({ corsOrigins: [], rateLimits, deps: { backlog: full } });
    await save([origin]);
    const upload = (size: number) =>
      ask(
        `${sessionPath}/projections`,
        { origin, 'content-type': 'application/json' },
        { method: 'POST', body: ' '.repeat(size) },
      );
    const asked = async (answer: Promise<Response>) => {
      const got = await answer;
      expect(got.headers.get('access-control-expose-headers')).toContain('Retry-After');
      return [got.status, allowedOf(got)];
    };
    expect(await asked(ask(sessionPath, { origin, authorization: 'Bearer none' }))).toEqual([401, origin]);
    expect(await asked(ask('/v1/nothing', { origin }))).toEqual([404, origin]);
    expect(await asked(ask(`/v1/sessions/${idFromUuid('session', randomUUID())}`, { origin }))).toEqual([404, origin]);
    expect(await asked(upload(20_000_000))).toEqual([413, origin]);
    expect(await asked(ask(`${sessionPath}/messages`, { origin }, { method: 'POST' }))).toEqual([503, origin]);
    for (let count = 0; count < 10; count += 1) await ask(sessionPath, {});
    expect(await asked(ask(sessionPath, { origin }))).toEqual([429, origin]);
  });

  it('is refused while its origin cannot be looked up, and reads that if the answer was known', async () => {
    let isDown = false;
    const { deps } = await openFixture();
    const fails = async () => {
      throw new Fault('DATABASE_UNAVAILABLE', 'down', { retryable: true });
    };
    const call: IngestDeps['db']['call'] = (...given) => (isDown ? fails() : deps.db.call(...given));
    const { ask, save, preflight, sessionPath } = await serve({ corsOrigins: [], deps: { db: { ...deps.db, call } } });
    const [known, unknown] = [newOrigin(), newOrigin()];
    await save([known]);
    expect((await ask(sessionPath, { origin: known })).status).toBe(200);
    isDown = true;
    const answer = await ask(sessionPath, { origin: known });
    expect([answer.status, allowedOf(answer)]).toEqual([503, known]);
    expect((await ask(sessionPath, { origin: unknown })).status).toBe(503);
    expect((await preflight(unknown)).status).toBe(503);
    expect((await preflight(known)).status).toBe(204);
  });
});
