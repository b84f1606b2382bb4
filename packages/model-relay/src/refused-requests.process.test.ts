import { describe, expect, it, vi } from 'vitest';
import { ask, paths, sendRaw, startRelayed } from './__fixtures__/relayed.ts';

const inTime = { timeout: 60_000 };

describe('the relay passes on', () => {
  it.each([
    ['GET', '/v1/models', 200],
    ['GET', '/v1/models?limit=5', 200],
    ['POST', '/v1/messages/count_tokens?beta=true', 200],
    ['HEAD', '/api/hello', 404],
    ['HEAD', '', 404],
    ['GET', '/v1/files', 404],
    ['GET', '/v1/messages', 405],
    ['DELETE', '/v1/models/m', 405],
    ['POST', '/v1/messages?alt=sse', 404],
    ['POST', '/v1/../v1/messages', 400],
    ['POST', '/v1%2fmessages', 400],
  ])('of %s %s: %i', async (method, path, status) => {
    await using relayed = await startRelayed();
    const opened = relayed.open();
    // A client would tidy the path.
    const { host, pathname } = new URL(opened.baseUrl);
    const body = method === 'POST' ? '{"model":"m"}' : '';
    const head = `${method} ${pathname}${path} HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${opened.token}\r\nConnection: close\r\n`;
    const answer = await sendRaw(opened, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(relayed.provider.countBegun()).toBe(status === 200 ? 1 : 0);
  });
});

describe('a request that two servers could read in two ways', () => {
  const body = '{"model":"m"}';
  const line = 'POST PATH/v1/messages HTTP/1.1\r\n';
  const host = 'Host: HOST\r\n';
  const token = 'x-api-key: TOKEN\r\n';
  const chunk = `d\r\n${body}\r\n`;
  it.each([
    ['both lengths', `${line}${host}${token}Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`],
    ['two lengths', `${line}${host}${token}Content-Length: 13\r\nContent-Length: 5\r\n\r\n${body}`],
    ['a length with a sign', `${line}${host}${token}Content-Length: +13\r\n\r\n${body}`],
    ['an encoding in chunks', `${line}${host}${token}Transfer-Encoding: gzip, chunked\r\n\r\n${chunk}0\r\n\r\n`],
    [
      'chunks inside of something',
      `${line}${host}${token}Transfer-Encoding: chunked, identity\r\n\r\n${chunk}0\r\n\r\n`,
    ],
    ['a bad size of a chunk', `${line}${host}${token}Transfer-Encoding: chunked\r\n\r\nxyz\r\n${body}\r\n0\r\n\r\n`],
    ['a bad later chunk', `${line}${host}${token}Transfer-Encoding: chunked\r\n\r\n${chunk}0x1\r\nx\r\n0\r\n\r\n`],
    ['a bare line feed in chunks', `${line}${host}${token}Transfer-Encoding: chunked\r\n\r\nd\n${body}\n0\n\n`],
    ['a folded header', `${line}${host}${token}Content-Length: 13\r\nX-A: b\r\n c: d\r\n\r\n${body}`],
    ['a space before the colon', `${line}${host}${token}Content-Length : 13\r\n\r\n${body}`],
    ['no Host', `${line}${token}Content-Length: 13\r\n\r\n${body}`],
    ['another Host', `${line}Host: api.anthropic.com\r\n${token}Content-Length: 13\r\n\r\n${body}`],
    [
      'an absolute URL',
      `POST http://HOSTPATH/v1/messages HTTP/1.1\r\n${host}${token}Content-Length: 13\r\n\r\n${body}`,
    ],
    ['a body of a GET', `GET PATH/v1/models HTTP/1.1\r\n${host}${token}Content-Length: 13\r\n\r\n${body}`],
    ['a head of 100 kB', `${line}${host}${token}X-Large: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('%s: never comes to the provider', async (_, bytes) => {
    await using relayed = await startRelayed({ lingerMs: 200 });
    const opened = relayed.open();
    const { host: ownHost, pathname } = new URL(opened.baseUrl);
    const filled = bytes.replace('PATH', pathname).replaceAll('HOST', ownHost).replace('TOKEN', opened.token);
    const ended = sendRaw(opened, filled.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(await ended).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(relayed.provider.seen).toEqual([]);
    expect(relayed.provider.countBegun()).toBe(0);
  });

  it('CONNECT is no method of a relay', async () => {
    await using relayed = await startRelayed();
    const opened = relayed.open();
    const answer = await sendRaw(opened, `CONNECT api.anthropic.com:443 HTTP/1.1\r\nHost: api.anthropic.com\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  });

  it('a request before the answer to the one before it ends the connection', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave(() => {});
    const opened = relayed.open();
    const { host: ownHost, pathname } = new URL(opened.baseUrl);
    const one = `${line}${host}${token}Content-Length: 13\r\n\r\n${body}`;
    const filled = one.replace('PATH', pathname).replace('HOST', ownHost).replace('TOKEN', opened.token);
    expect(await sendRaw(opened, `${filled}${filled}`)).toBe('');
  });
});

describe('refused by the relay', () => {
  it('a WebSocket, with a 426 that the record counts', async () => {
    await using relayed = await startRelayed();
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'x' };
    const opened = relayed.open({ endpoint: { api: 'openai-responses' } });
    const asked = { method: 'GET', path: paths['openai-responses'], headers };
    expect(await ask(opened, asked)).toMatchObject({ status: 426, headers: { upgrade: 'HTTP/1.1' } });
    expect((await ask({ ...opened, token: 'x' }, asked)).status).toBe(401);
    expect(relayed.records).toMatchObject([{ kind: 'websocket', refused: 'relay_websocket_refused', status: 426 }]);
  });

  it('a compressed body', async () => {
    await using relayed = await startRelayed();
    const opened = relayed.open();
    expect((await ask(opened, { headers: { 'content-encoding': 'zstd' } })).status).toBe(415);
    expect((await ask(opened, { headers: { 'content-encoding': 'identity' } })).status).toBe(200);
  });

  it('all but errands outside of a turn, with 403', async () => {
    await using relayed = await startRelayed();
    let isInTurn = false;
    const errands = [{ kind: 'models' }, { kind: 'generate', model: 'title' }] as const;
    const opened = relayed.open({ isInTurn: () => isInTurn, errands });
    const statusOf = async (asked: Parameters<typeof ask>[1]) => (await ask(opened, asked)).status;
    const all = [
      { path: '/v1/models', method: 'GET' },
      { body: '{"model":"title"}' },
      { body: '{"model":"m"}' },
      { path: '/v1/messages/count_tokens' },
      { body: '{"model":"other"}' },
    ];
    expect(await Promise.all(all.map(statusOf))).toEqual([200, 200, 403, 403, 403]);
    isInTurn = true;
    expect(await Promise.all(all.map(statusOf))).toEqual([200, 200, 200, 200, 403]);
    expect(
      relayed.records
        .map(({ refused }) => refused)
        .filter(Boolean)
        .toSorted(),
    ).toEqual([...['relay_model_refused', 'relay_model_refused', 'relay_outside_turn', 'relay_outside_turn']]);
  });

  it('models that are not named for the agent, in the path or the body', async () => {
    await using relayed = await startRelayed();
    const google = relayed.open({ endpoint: { api: 'google', models: ['small'] } });
    const statusOf = async (model: string) =>
      (await ask(google, { path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`, body: '{}' })).status;
    expect(await Promise.all(['m', 'small', 'large'].map(statusOf))).toEqual([200, 200, 403]);
    expect(relayed.records.map(({ model }) => model).toSorted()).toEqual(['large', 'm', 'small']);
  });

  it('tools of the provider that the endpoint does not list', async () => {
    await using relayed = await startRelayed();
    const opened = relayed.open({ endpoint: { serverTools: ['web_search'] } });
    const statusOf = async (type: string) =>
      (await ask(opened, { body: JSON.stringify({ model: 'm', tools: [{ type }] }) })).status;
    expect(await Promise.all(['custom', 'web_search_20250305', 'code_execution_20250522'].map(statusOf))).toEqual([
      ...[200, 200, 403],
    ]);
  });

  it('more requests of one agent at once than its share', async () => {
    await using relayed = await startRelayed({ maxAgentRequests: 2 });
    const opened = relayed.open();
    const held: (() => void)[] = [];
    relayed.provider.behave((_, response) => void held.push(() => response.end('late')));
    const first = [ask(opened), ask(opened)];
    await vi.waitFor(() => expect(held).toHaveLength(2), inTime);
    expect((await ask(opened)).status).toBe(429);
    const other = ask(relayed.open());
    await vi.waitFor(() => expect(held).toHaveLength(3), inTime);
    for (const answer of held) answer();
    expect((await Promise.all([...first, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('more requests of the agents of one tenant at once than its share [BX-27 BX-32]', async () => {
    await using relayed = await startRelayed({ maxTenantRequests: 2 });
    const held: (() => void)[] = [];
    relayed.provider.behave((_, response) => void held.push(() => response.end('late')));
    const first = [1, 2].map(() => ask(relayed.open({ tenant: 'a' })));
    await vi.waitFor(() => expect(held).toHaveLength(2), inTime);
    expect((await ask(relayed.open({ tenant: 'a' }))).status).toBe(429);
    const other = ask(relayed.open({ tenant: 'b' }));
    await vi.waitFor(() => expect(held).toHaveLength(3), inTime);
    for (const answer of held) answer();
    expect((await Promise.all([...first, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
