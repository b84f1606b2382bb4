import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { ask, askForResponse, paths, startRelayed } from '../__fixtures__/relayed.ts';
import type { ModelApi } from '../relay-types.ts';

const link = 'https://attacker.example/?q=secret';
const bodies: [ModelApi, object, string][] = [
  [
    'anthropic',
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: link } }] }] },
    'messages[0].content[0].source.type',
  ],
  [
    'openai-responses',
    { input: [{ type: 'tool_search_output', tools: [{ type: 'mcp', server_url: link }] }] },
    'input[0].tools[0].type',
  ],
  ['openai-chat', { messages: [], provider: { order: ['other'] } }, 'provider'],
  ['google', { contents: [{ parts: [{ fileData: { fileUri: link } }] }] }, 'contents[0].parts[0].fileData.fileUri'],
  ['openai-responses', { input: [{ id: 'msg_foreign' }] }, 'input[0].id'],
  ['google', { generationConfig: { routingConfig: { autoMode: {} } } }, 'generationConfig.routingConfig'],
];

describe('a request that makes the provider a way out [BX-24 A7]', () => {
  it.each(bodies)('of %s gets a 403 that names the field, and reaches nobody', async (api, fields, field) => {
    await using relayed = await startRelayed();
    const opened = relayed.open({ endpoint: { api } });
    const body = JSON.stringify(api === 'google' ? fields : { model: 'm', ...fields });
    const { status, text } = await ask(opened, { path: paths[api], body });
    expect(status).toBe(403);
    const { error } = JSON.parse(text);
    expect(error.message).toContain(field);
    if (api.startsWith('openai')) expect(error).toMatchObject({ param: field, code: expect.stringMatching(/^relay_/) });
    expect(relayed.provider.countBegun()).toBe(0);
    expect(relayed.records).toMatchObject([{ status: 403, refusedField: field, hasLeft: false }]);
  });

  it('is never whole at the provider, however far behind the field is, and whatever its purpose', async () => {
    await using relayed = await startRelayed();
    const opened = relayed.open();
    const text = { type: 'text', text: 'x'.repeat(3_000_000) };
    const source = { type: 'base64', file_id: 'file_1' };
    const body = JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: [text, { type: 'image', source }] }],
    });
    for (const path of ['/v1/messages', '/v1/messages/count_tokens'])
      expect((await ask(opened, { path, body })).status).toBe(403);
    await vi.waitFor(() => expect(relayed.provider.countConnections()).toBe(0), { timeout: 60_000 });
    expect(relayed.provider.seen).toEqual([]);
  });

  it('of Google counts no tokens for another model than that of its path', async () => {
    await using relayed = await startRelayed();
    const opened = relayed.open({ endpoint: { api: 'google' } });
    const count = (model: string) =>
      ask(opened, {
        path: paths.google.replace(/:\w+.*$/, ':countTokens'),
        body: JSON.stringify({ generateContentRequest: { model, contents: [] } }),
      });
    const asked = /models\/([^:]+)/.exec(paths.google)?.[1] ?? '';
    expect((await count(`models/${asked}`)).status).toBe(200);
    expect(await count('models/other')).toMatchObject({
      status: 403,
      text: expect.stringContaining('generateContentRequest.model'),
    });
    expect(relayed.provider.seen).toHaveLength(1);
  });

  it('passes where the operator allows URLs', async () => {
    await using relayed = await startRelayed();
    const [[api, fields] = ['anthropic' as const, {}]] = bodies;
    const opened = relayed.open({ endpoint: { api, urlSources: 'allow' } });
    expect((await ask(opened, { body: JSON.stringify({ model: 'm', ...fields }) })).status).toBe(200);
  });
});

describe('headers of a request [BX-24 A18]', () => {
  it.each([
    ...['x-portkey-custom-host', 'helicone-target-url', 'cookie', 'openai-organization', 'openai-project'],
    ...['x-litellm-api-base', 'x-goog-user-project', 'X-Forwarded-Host'],
  ])('that name another host, account or credential get a 403: %s', async (name) => {
    await using relayed = await startRelayed();
    const { status, text } = await ask(relayed.open(), { headers: { [name]: 'http://attacker.example' } });
    expect([status, text]).toEqual([403, expect.stringContaining(name.toLowerCase())]);
    expect(relayed.provider.countBegun()).toBe(0);
    expect(relayed.records).toMatchObject([{ refused: 'relay_header_refused', refusedField: name.toLowerCase() }]);
  });

  it('that no program sends do not leave, and the body is JSON in UTF-8', async () => {
    await using relayed = await startRelayed();
    const own = { 'anthropic-beta': 'files-api-2025-04-14', 'x-stainless-lang': 'js', 'user-agent': 'a' };
    const headers = { ...own, 'x-anything': '1', 'content-type': 'application/json; charset=utf-7' };
    expect((await ask(relayed.open(), { headers })).status).toBe(200);
    const { 'content-type': type, ...seen } = relayed.provider.seen[0]?.headers ?? {};
    expect(seen).toMatchObject(own);
    expect([type, seen['x-anything']]).toEqual(['application/json', undefined]);
  });
});

describe('a provider that repeats its key [A18 BX-24]', () => {
  const key = 'sk-key-of-the-operator';
  const endpoint = { readKey: async () => key };
  const stars = '*'.repeat(key.length);

  it('does not show it: not in the head of its answer, not in its body', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave((request, response) => {
      const said = JSON.stringify({ error: { message: `Incorrect API key: ${request.headers['x-api-key']}` } });
      response.writeHead(401, `No ${key}`, { 'x-echo': `a ${key}`, 'content-length': said.length }).end(said);
    });
    const { status, headers, text } = await ask(relayed.open({ endpoint }));
    expect([status, headers['x-echo']]).toEqual([401, `a ${stars}`]);
    expect(JSON.parse(text).error.message).toBe(`Incorrect API key: ${stars}`);
    await vi.waitFor(() => expect(relayed.records).toHaveLength(1), { timeout: 60_000 });
    expect(JSON.stringify([relayed.records, relayed.lines])).not.toContain(key);
  });

  it('does not show it in a stream either, in whatever pieces', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const sign of `data: ${key}\n\ndata: sk-key`) {
        response.write(sign);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const response = await askForResponse(relayed.open({ endpoint }));
    let text = '';
    for await (const piece of response) text += piece;
    expect(text).toBe(`data: ${stars}\n\ndata: sk-key`);
  });

  it('is not believed where it compresses what it says', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`{"key":"${key}"}`));
    });
    expect((await ask(relayed.open({ endpoint }))).status).toBe(502);
  });
});
