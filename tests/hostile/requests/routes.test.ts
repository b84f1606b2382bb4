import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';
import { formatHead, sendRaw } from '../fixtures/raw-http.ts';

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile();
});
afterAll(() => stack.stop());

/** Spellings of a path that a lax router or a proxy might take for the path itself. */
function misspell(path: string): string[] {
  const inner = path.slice('/v1'.length);
  return [
    `/${path}`,
    `/v1/${inner}`,
    path.replace('/v1/', '/v1//'),
    `/v1%2f${inner.slice(1)}`,
    `/v1%2F${inner.slice(1)}`,
    `/v1/${inner.slice(1).replaceAll('/', '%2f')}`,
    `/V1${inner}`,
    `/v1${inner.toUpperCase()}`,
    `${path}.`,
    `${path}/`,
    `${path}%2e`,
    `${path}%00`,
    `${path};x=1`,
    `/v1/.${inner}`,
    `/v1/./${inner.slice(1)}`,
    `/x/..${path}`,
    `/v1/%2e%2e${path}`,
    `\\v1${inner.replaceAll('/', '\\')}`,
    `http://attache/x/..${path}`,
  ].filter((spelling) => spelling !== path);
}

async function ask(method: string, path: string, credential: string | undefined): Promise<number | undefined> {
  // The answer to a HEAD names a length that does not come: its end is that of the connection.
  const head =
    credential === undefined
      ? `${method} ${path} HTTP/1.1\r\nhost: attache\r\nconnection: close\r\n\r\n`
      : formatHead(method, path, credential, ['connection: close']);
  return (await sendRaw(stack.url, [head], { isEnding: false }))?.status;
}

const guarded = () => [
  '/v1/keys',
  '/v1/audit',
  `/v1/sessions/${stack.session.id}`,
  `/v1/sessions/${stack.session.id}/attachments`,
  `/v1/sessions/${stack.session.id}/events`,
  `/v1/sessions/${stack.session.id}/transcript`,
];

describe('another spelling of a route', () => {
  it('does not open it to anyone without a credential: 401 or 404 [S31 A14]', async () => {
    for (const path of guarded()) {
      expect(await ask('GET', path, undefined), path).toBe(401);
      for (const spelling of misspell(path))
        expect([400, 401, 404], spelling).toContain(await ask('GET', spelling, undefined));
    }
  });

  it('does not open it to a key that was revoked, nor to one that lacks the right [S31]', async () => {
    const make = async () => {
      const body = { name: 'x', scopes: ['read'] };
      const answer = await stack.api.call<{ secret: string; key: { id: string } }>('POST', '/keys', { body });
      return answer.body;
    };
    const [revoked, reader] = [await make(), await make()];
    await stack.api.call('DELETE', `/keys/${revoked.key.id}`);
    for (const path of guarded())
      for (const spelling of [path, ...misspell(path)])
        expect([400, 401, 404], spelling).toContain(await ask('GET', spelling, revoked.secret));
    for (const path of ['/v1/keys', '/v1/audit']) {
      expect(await ask('GET', path, reader.secret)).toBe(403);
      for (const spelling of misspell(path))
        expect([400, 403, 404], spelling).toContain(await ask('GET', spelling, reader.secret));
    }
  });

  it('does not open a file to a signature that is none [S5 S31]', async () => {
    const path = '/v1/attachments/att_AAAAAAAAAAAAAAAAAAAAAA/raw';
    for (const spelling of [path, ...misspell(path)])
      expect([400, 401, 404], spelling).toContain(await ask('GET', `${spelling}?exp=1&kid=k1&g=1&sig=x`, undefined));
  });

  it('does not make a HEAD, or another method, do more [S31]', async () => {
    const askAll = async (path: string) => {
      expect([401, 404], path).toContain(await ask('HEAD', path, undefined));
      for (const method of ['OPTIONS', 'TRACE', 'PATCH', 'PROPFIND'])
        expect([400, 401, 404, 405, 501], `${method} ${path}`).toContain(await ask(method, path, undefined));
    };
    await Promise.all(guarded().map(askAll));
    await stack.expectAlive();
  });
});
