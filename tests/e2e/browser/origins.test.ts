// hosted: every – a list that one process saves, another one obeys, and the object store is at another address
import { randomUUID } from 'node:crypto';
import { type Api, makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['others'] });
});
afterAll(() => stack.stop());

const newOrigin = () => `https://${randomUUID()}.example`;

async function save(api: Api, origins: string[]): Promise<void> {
  const answer = await api.call('PUT', '/cors-origins', { body: { origins } });
  expect(answer).toMatchObject({ status: 200, body: { origins } });
}

const preflight = (origin: string) =>
  fetch(`${stack.api.url}/v1/sessions`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  });

const ask = (api: Api, origin: string) => api.call('GET', '/sessions', { headers: { origin } });

describe('the origins of a tenant', () => {
  it('are saved as browsers spell them, and listed', async () => {
    const body = { origins: ['HTTPS://Chat.Example:443', 'http://localhost:5173', 'https://bücher.example'] };
    const origins = ['http://localhost:5173', 'https://chat.example', 'https://xn--bcher-kva.example'];
    expect(await stack.api.call('PUT', '/cors-origins', { body })).toMatchObject({ status: 200, body: { origins } });
    expect((await stack.api.call('GET', '/cors-origins')).body).toEqual({ origins });
    const { body: audit } = await stack.api.call<{ items: object[] }>('GET', '/audit?action=origins.saved');
    expect(audit.items).toMatchObject([{ data: { origins: 3 } }]);
  });

  it.each([
    ...['*', 'null', 'http://chat.example', 'https://chat.example/', 'https://chat.example/app', 'https://*.example'],
    ...['https://ann@chat.example', 'https://chat.example.', 'chat.example', ''],
  ])('are refused with %j among them', async (origin) => {
    const answer = await stack.api.call('PUT', '/cors-origins', { body: { origins: ['https://ok.example', origin] } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });

  it('need the right to manage the tenant', async () => {
    const { body } = await stack.api.call('POST', '/keys', { body: { name: 'a platform', scopes: ['sessions'] } });
    for (const method of ['GET', 'PUT'])
      expect(
        await stack.api.call(method, '/cors-origins', {
          credential: String(body.secret),
          ...(method === 'PUT' ? { body: { origins: [] } } : {}),
        }),
      ).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });
});

describe('a page', () => {
  it('calls the API from an origin of the tenant until that is taken away', async () => {
    const origin = newOrigin();
    expect((await preflight(origin)).status).toBe(403);
    await save(stack.api, [origin]);
    // Another process may keep its answer for some seconds.
    await expect.poll(async () => (await preflight(origin)).status, { timeout: 30_000 }).toBe(204);
    const { status, headers } = await ask(stack.api, origin);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    expect([headers.get('vary'), headers.get('access-control-allow-credentials')]).toEqual(['Origin', null]);
    await save(stack.api, []);
    await expect.poll(async () => (await ask(stack.api, origin)).status, { timeout: 30_000 }).toBe(403);
    await expect.poll(async () => (await preflight(origin)).status, { timeout: 30_000 }).toBe(403);
  });

  it('of one tenant is refused with the credential of another, in words that it can read', async () => {
    const [mine, theirs] = [newOrigin(), newOrigin()];
    await save(stack.api, [mine]);
    await save(stack.apiOf('others'), [theirs]);
    await expect.poll(async () => (await preflight(theirs)).status, { timeout: 30_000 }).toBe(204);
    const answer = await ask(stack.api, theirs);
    expect(answer).toMatchObject({
      status: 403,
      body: {
        code: 'ORIGIN_NOT_ALLOWED',
        detail: expect.stringMatching(/ATTACHE_CORS_ORIGINS.*PUT \/v1\/cors-origins/),
      },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe(theirs);
    for (const origin of ['null', `${mine}.`, mine.toUpperCase(), `${mine}/`, `${mine}, ${theirs}`])
      expect((await ask(stack.api, origin)).status).toBe(403);
    expect((await ask(stack.api, mine)).status).toBe(200);
  });

  it('reads the bytes behind a signed URL of its tenant, whole, in part and unchanged; a page of another does not', async () => {
    const [mine, theirs] = [newOrigin(), newOrigin()];
    await save(stack.api, [mine]);
    await save(stack.apiOf('others'), [theirs]);
    const bytes = makePng(40, 30);
    const { session } = await stack.api.createSession();
    const { attachment, displayUrl } = await stack.api.upload(session.id, bytes);
    await stack.api.inspected(attachment.id);
    const read = (origin: string, headers: Record<string, string> = {}) =>
      fetch(displayUrl, { headers: { origin, ...headers }, redirect: 'manual' });
    await expect.poll(async () => (await read(mine)).status, { timeout: 30_000 }).toBe(200);
    const whole = await read(mine);
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(Buffer.from(bytes));
    expect(whole.headers.get('access-control-allow-origin')).toBe(mine);
    const exposed = whole.headers.get('access-control-expose-headers');
    for (const name of ['ETag', 'Content-Range', 'Content-Length', 'Content-Disposition'])
      expect(exposed).toContain(name);
    const part = await read(mine, { range: 'bytes=0-7' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 0-7/${bytes.length}`]);
    const same = await read(mine, { 'if-none-match': String(whole.headers.get('etag')) });
    expect([same.status, same.headers.get('access-control-allow-origin')]).toEqual([304, mine]);
    const refused = await read(theirs);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
    const altered = await fetch(displayUrl.replace('sig=', 'sig=A'), { headers: { origin: mine } });
    expect([altered.status, altered.headers.get('access-control-allow-origin')]).toEqual([401, mine]);
  });
});
