import { Fault } from '@attache/contracts';
import { describe, expect, it, vi } from 'vitest';
import { ask, askForResponse, paths, startRelayed } from './__fixtures__/relayed.ts';
import type { ModelApi } from './relay-types.ts';

const apis = Object.keys(paths) as ModelApi[];
const inTime = { timeout: 60_000 };

describe('a request in a turn', () => {
  it.each(apis)('of %s goes to the provider with the key in place of the token [BX-24]', async (api) => {
    await using relayed = await startRelayed();
    const readKey = vi.fn(async () => `key-of-${readKey.mock.calls.length}`);
    const opened = relayed.open({ endpoint: { api, readKey } });
    const headers = { 'anthropic-beta': 'b', Connection: 'close, x-hop', 'x-hop': '1', 'accept-encoding': 'gzip, br' };
    expect(await ask(opened, { path: paths[api], headers })).toMatchObject({ status: 200, text: '{"answered":true}' });
    await ask(opened, { path: paths[api] });

    const [seen, again] = relayed.provider.seen;
    expect(seen?.url).toBe(paths[api]);
    const body = api === 'google' ? '{}' : '{"model":"m"}';
    expect(seen?.body.toString()).toBe(body);
    const name = { anthropic: 'x-api-key', google: 'x-goog-api-key' }[api as string] ?? 'authorization';
    const spell = (key: string) => (name === 'authorization' ? `Bearer ${key}` : key);
    const keys = { [name]: spell('key-of-1') };
    const host = new URL(relayed.provider.baseUrl).host;
    expect(seen?.headers).toMatchObject({ ...keys, 'anthropic-beta': 'b', 'accept-encoding': 'identity', host });
    expect(seen?.headers['x-hop']).toBeUndefined();
    expect(again?.headers[name]).toBe(spell('key-of-2'));
    expect(JSON.stringify(seen)).not.toContain('atr_');
    expect(relayed.records[0]).toMatchObject({
      ...{ kind: 'generate', model: 'm', method: 'POST', status: 200, isWhole: true, refused: undefined },
      ...{ requestBytes: body.length, responseBytes: 17, firstByteMs: expect.any(Number) },
    });
  });

  it.each(['generate', 'models'])(
    'that may not leave (%s), since its session has another owner, reaches nobody [BX-16]',
    async (kind) => {
      await using relayed = await startRelayed();
      let isOwned = true;
      const allowForward = async () => {
        if (!isOwned) throw new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');
      };
      const opened = relayed.open({ allowForward, errands: [{ kind: 'models' }] });
      const request = kind === 'models' ? { method: 'GET', path: '/v1/models' } : {};
      expect(await ask(opened, request)).toMatchObject({ status: 200 });
      isOwned = false;
      expect(await ask(opened, request)).toMatchObject({ status: 503 });
      expect(relayed.provider.seen).toHaveLength(1);
      expect(relayed.records.at(-1)).toMatchObject({ refused: 'relay_ownership_lost', hasLeft: false });
    },
  );

  it('goes without any key where none is configured', async () => {
    await using relayed = await startRelayed();
    const opened = relayed.open({ endpoint: { readKey: async () => undefined } });
    await ask(opened, { headers: { authorization: `Bearer ${opened.token}` } });
    expect(relayed.provider.seen[0]?.headers).not.toHaveProperty('x-api-key');
    expect(relayed.provider.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it('gets a 503 where the key cannot be read, and says nothing of why', async () => {
    await using relayed = await startRelayed();
    const readKey = () => Promise.reject(new Error('/etc/secret is gone'));
    const { status, text } = await ask(relayed.open({ endpoint: { readKey } }));
    expect(status).toBe(503);
    expect(text).not.toContain('secret');
    expect(relayed.records[0]?.refused).toBe('relay_key_unreadable');
  });

  it.each(['SECRET_NOT_FOUND', 'CONFIGURATION_INVALID'] as const)(
    'gets a 401 where there is no key (%s), so that the program does not ask again, and the provider nothing [DL-57]',
    async (code) => {
      await using relayed = await startRelayed();
      const readKey = () => Promise.reject(new Fault(code, 'the secret of acme is not there'));
      const { status, text } = await ask(relayed.open({ endpoint: { readKey } }));
      expect(status).toBe(401);
      expect(text).not.toContain('acme');
      expect([relayed.records[0]?.refused, relayed.provider.seen]).toEqual(['relay_key_missing', []]);
    },
  );

  it('sends a key that is not ASCII as the bytes of its UTF-8', async () => {
    await using relayed = await startRelayed();
    expect((await ask(relayed.open({ endpoint: { readKey: async () => 'schlüssel 鍵' } }))).status).toBe(200);
    const sent = String(relayed.provider.seen[0]?.headers['x-api-key']);
    expect(Buffer.from(sent, 'latin1').toString()).toBe('schlüssel 鍵');
  });

  it.each([
    ['/v1', '/v1/messages', '/v1/messages'],
    ['/v1/', '/messages', '/v1/messages'],
    ['/gateway/v1', '/messages?beta=true', '/gateway/v1/messages?beta=true'],
    ['/gateway', '/v1/messages', '/gateway/v1/messages'],
  ])('keeps the path of an endpoint at %s', async (base, path, asked) => {
    await using relayed = await startRelayed();
    const opened = relayed.open({ endpoint: { baseUrl: `${relayed.provider.baseUrl}${base}` } });
    // Programs add a version where their users left it away.
    const baseUrl = path.startsWith('/v1') ? opened.baseUrl.replace(/\/v1$/, '') : opened.baseUrl;
    expect((await ask({ ...opened, baseUrl }, { path })).status).toBe(200);
    expect(relayed.provider.seen[0]?.url).toBe(asked);
  });
});

describe('a token', () => {
  it.each(apis)('that is missing, wrong or in the URL gets a 401 in the shape of %s', async (api) => {
    await using relayed = await startRelayed();
    const opened = relayed.open({ endpoint: { api } });
    const shape = {
      anthropic: { type: 'error', error: { type: 'authentication_error' } },
      'openai-responses': { error: { code: 'relay_token_refused' } },
      'openai-chat': { error: { code: 'relay_token_refused' } },
      google: { error: { code: 401, status: 'UNAUTHENTICATED' } },
    }[api];
    const path = paths[api];
    for (const token of ['', 'x', `atr_${'A'.repeat(43)}`, `${opened.token}A`]) {
      const { status, text } = await ask({ ...opened, token }, { path });
      expect(status).toBe(401);
      expect(JSON.parse(text)).toMatchObject(shape);
    }
    expect((await ask(opened, { path: `${path}?key=${opened.token}` })).status).toBe(401);
    expect(relayed.provider.countBegun()).toBe(0);
    expect(relayed.records).toEqual([]);
  });

  it('of another agent, of an old epoch or of a closed relay gets a 401', async () => {
    await using relayed = await startRelayed();
    const first = relayed.open({ agentId: 'agt_first', epoch: 1 });
    const second = relayed.open({ agentId: 'agt_second', epoch: 1 });
    expect((await ask({ ...first, token: second.token })).status).toBe(401);

    const later = relayed.open({ agentId: 'agt_first', epoch: 2 });
    expect((await ask(first)).status).toBe(401);
    expect((await ask(relayed.open({ agentId: 'agt_first', epoch: 1 }))).status).toBe(401);
    expect((await ask(later)).status).toBe(200);

    first.close();
    expect((await ask(later)).status).toBe(200);
    second.close();
    const { status, text } = await ask(second, { path: paths['openai-chat'] });
    expect([status, JSON.parse(text).error.code]).toEqual([401, 'relay_token_refused']);
  });

  it('stands in no line of the log, nor does a key [S27]', async () => {
    await using relayed = await startRelayed();
    const opened = relayed.open();
    relayed.provider.behave((request) => request.socket.destroy());
    for (const path of [paths.anthropic, `${paths.anthropic}?key=${opened.token}`, `/${opened.token}`, '/%2e']) {
      await ask(opened, { path });
    }
    const said = JSON.stringify([relayed.lines, relayed.records]);
    expect(relayed.lines.length).toBeGreaterThan(0);
    for (const secret of [opened.token, 'the-real-key']) {
      const bytes = Buffer.from(secret);
      for (const spelled of [secret, bytes.toString('base64'), bytes.toString('hex'), encodeURIComponent(secret)])
        expect(said).not.toContain(spelled);
    }
  });
});

describe('the end of a relay', () => {
  it('ends the requests of its agent under way, and no others', async () => {
    await using relayed = await startRelayed();
    const begun = Promise.withResolvers<void>();
    relayed.provider.behave((_, response) => {
      response.writeHead(200).write('begun');
      if (relayed.provider.countBegun() === 2) begun.resolve();
    });
    const closed = relayed.open();
    const kept = relayed.open();
    const responses = await Promise.all([closed, kept].map((opened) => askForResponse(opened)));
    await begun.promise;
    const [broken, whole] = responses.map((response) => response.toArray().then(String, () => 'broken'));
    closed.close();
    expect(await broken).toBe('broken');
    await vi.waitFor(() => expect(relayed.provider.countConnections()).toBe(1), inTime);
    await relayed.relay.stop();
    expect(await whole).toBe('broken');
    await vi.waitFor(() => expect(relayed.provider.countConnections()).toBe(0), inTime);
    await expect(ask(kept)).rejects.toThrow('ECONNREFUSED');
  });

  it('an endpoint must be one of HTTP', async () => {
    await using relayed = await startRelayed();
    expect(() => relayed.open({ endpoint: { baseUrl: 'file:///etc' } })).toThrow(TypeError);
  });
});
