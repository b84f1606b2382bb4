import type { AgentSpec } from '@attache/agent-process';
import { givenSpec } from '@attache/agent-process/given-spec';
import { describe, expect, it } from 'vitest';
import { codexAcpDriver } from './codex-acp-driver.ts';

const settingsOf = async (rest: Partial<AgentSpec> = {}) => codexAcpDriver.settingsOf(givenSpec(rest), { PATH: '' });
const endpoint = { api: 'openai-responses', baseUrl: 'https://api.example.com/v1', apiKey: 'sk-key' } as const;

describe('the settings of codex-acp', () => {
  it('are those of Codex in a variable, and a sandbox out of which it must ask [BX-21]', async () => {
    const { args, env, defaults, files } = await settingsOf({ model: 'gpt-x', endpoint });
    expect(args).toEqual([]);
    // Threads that it opens for itself read nothing else.
    expect(files.slice(1)).toMatchObject([
      { path: '/data/agents/agt/config/config.toml', toml: { features: { shell_snapshot: false } } },
    ]);
    expect(defaults).toMatchObject({ INITIAL_AGENT_MODE: 'read-only' });
    expect(env).toMatchObject({ MODEL_PROVIDER: 'attache', CODEX_API_KEY: 'sk-key', NO_BROWSER: '1' });
    expect(JSON.parse(env.CODEX_CONFIG ?? '')).toMatchObject({
      model: 'gpt-x',
      model_providers: { attache: { base_url: endpoint.baseUrl, env_key: 'ATTACHE_MODEL_KEY' } },
    });
    expect((await settingsOf()).env).not.toHaveProperty('MODEL_PROVIDER');
  });

  it('keep it from writing the key by which it signs in, unless a home may hold its sign-in [S26]', async () => {
    const signIn = { toml: { cli_auth_credentials_store: 'ephemeral' } };
    expect((await settingsOf()).files.slice(1)).toMatchObject([signIn]);
    expect((await settingsOf({ home: '/home' })).files.slice(1)).not.toMatchObject([signIn]);
  });
});

it('a request for permission is about a tool of Attaché only where the program itself says so, and not what its model wrote [BX-21]', () => {
  const judge = codexAcpDriver.acp.isAboutAttache;
  const own = { kind: 'other', title: 'attache_resource_view', rawInput: {} };
  const asked = { meta: { is_mcp_tool_approval: true }, earlier: { server: 'attache' } };
  expect(judge({}, asked)).toBe(true);
  // A command is no tool of a server, whatever it is called.
  expect(judge({}, { ...asked, meta: {} })).toBe(false);
  expect(judge(own, { ...asked, earlier: { server: 'other' } })).toBe(false);
});
