import { describe, expect, it } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import type { AgentSpec } from '../driver.ts';
import { acpSettings, type ToldOfCall, traitsOfProgram } from './acp-settings.ts';

const settingsOf = (program: string, rest: Partial<AgentSpec> = {}) =>
  acpSettings(givenSpec({ command: [program], ...rest }));
const anthropic = { api: 'anthropic', baseUrl: 'https://api.example.com', apiKey: 'sk-key' } as const;
const openai = { api: 'openai-responses', baseUrl: 'https://api.example.com/v1', apiKey: 'sk-key' } as const;

describe('what a program of the Agent Client Protocol is told', () => {
  it('claude-agent-acp: the same as Claude Code, its model by a variable, and which tools must ask [BX-21]', () => {
    const { args, env, files } = settingsOf('claude-agent-acp', { model: 'claude-x', endpoint: anthropic });
    expect(args).toEqual([]);
    expect(env).toMatchObject({ ANTHROPIC_MODEL: 'claude-x', ANTHROPIC_API_KEY: 'sk-key' });
    expect(files).toMatchObject([
      {
        path: '/data/agents/agt/config/settings.json',
        json: { permissions: { ask: expect.arrayContaining(['Bash', 'Read', 'mcp__attache']) } },
      },
    ]);
    expect(settingsOf('claude-agent-acp').env).toMatchObject({ CLAUDE_CONFIG_DIR: '/data/agents/agt/config' });
  });

  it('claude-agent-acp: of no tools, and of no servers but ours, under deny alone; always that it passes on what it is told of refusals [BX-21 DL-58]', () => {
    const metaOf = (permissionMode: 'gated' | 'deny') =>
      traitsOfProgram(['claude-agent-acp']).metaOf({ permissionMode });
    const emitRawSDKMessages = [{ type: 'assistant' }, { type: 'result' }];
    const options = { tools: [], strictMcpConfig: true };
    expect(metaOf('deny')).toEqual({ claudeCode: { emitRawSDKMessages, options } });
    expect(metaOf('gated')).toEqual({ claudeCode: { emitRawSDKMessages } });
  });

  it('codex-acp: the settings of Codex in a variable, and a sandbox out of which it must ask [BX-21]', () => {
    const { args, env, defaults, files } = settingsOf('codex-acp', { model: 'gpt-x', endpoint: openai });
    expect(args).toEqual([]);
    // Threads that it opens for itself read nothing else.
    expect(files.slice(1)).toMatchObject([
      { path: '/data/agents/agt/config/config.toml', toml: { features: { shell_snapshot: false } } },
    ]);
    expect(defaults).toMatchObject({ INITIAL_AGENT_MODE: 'read-only' });
    expect(env).toMatchObject({ MODEL_PROVIDER: 'attache', CODEX_API_KEY: 'sk-key', NO_BROWSER: '1' });
    expect(JSON.parse(env.CODEX_CONFIG ?? '')).toMatchObject({
      model: 'gpt-x',
      model_providers: { attache: { base_url: openai.baseUrl, env_key: 'ATTACHE_MODEL_KEY' } },
    });
    expect(settingsOf('codex-acp').env).not.toHaveProperty('MODEL_PROVIDER');
  });

  it('codex-acp: to write the key by which it signs in nowhere, unless a home may hold its sign-in [S26]', () => {
    const signIn = { toml: { cli_auth_credentials_store: 'ephemeral' } };
    expect(settingsOf('codex-acp').files.slice(1)).toMatchObject([signIn]);
    expect(settingsOf('codex-acp', { home: '/home' }).files.slice(1)).not.toMatchObject([signIn]);
  });

  it('is known by its file name, wherever it lies and whatever starts it', () => {
    const known = settingsOf('gemini');
    for (const command of [['/opt/bin/gemini'], ['node', '/opt/gemini.js', '--acp']])
      expect(acpSettings(givenSpec({ command }))).toEqual(known);
  });

  it.each(['constructor', '__proto__', 'toString', 'my-agent'])('%s: nothing but a home', (program) => {
    const nothing = { defaults: {}, env: {}, args: [], files: [], homeFolder: '/data/agents/agt/home' };
    expect(settingsOf(program)).toEqual({ ...nothing, refusal: undefined });
    expect(settingsOf(program, { endpoint: anthropic }).refusal).toContain('use env and secretEnv');
  });
});

describe('a request for permission', () => {
  it('is about a tool of Attaché only where the program itself says so, and not what its model wrote [BX-21]', () => {
    const untold = { meta: {}, earlier: {} };
    const judge = (program: string, call: Record<string, unknown>, told: ToldOfCall = untold) =>
      traitsOfProgram([program]).isAboutAttache(call, told);
    expect(judge('claude-agent-acp', { _meta: { claudeCode: { mcpServer: { name: 'attache' } } } })).toBe(true);
    expect(judge('claude-agent-acp', { title: 'mcp__attache__resource_view' })).toBe(false);
    expect(judge('gemini', { toolCallId: 'mcp_attache_resource_view-1' })).toBe(true);
    expect(judge('gemini', { title: 'mcp_attache_resource_view' })).toBe(false);
    const own = { kind: 'other', title: 'attache_resource_view', rawInput: {} };
    expect(judge('opencode', own)).toBe(true);
    // A command of this name has its arguments with it.
    expect(judge('opencode', { ...own, rawInput: { command: 'attache_resource_view' } })).toBe(false);
    expect(judge('opencode', { ...own, kind: 'execute' })).toBe(false);
    const asked = { meta: { is_mcp_tool_approval: true }, earlier: { server: 'attache' } };
    expect(judge('codex-acp', {}, asked)).toBe(true);
    // A command is no tool of a server, whatever it is called.
    expect(judge('codex-acp', {}, { ...asked, meta: {} })).toBe(false);
    expect(judge('codex-acp', own, { ...asked, earlier: { server: 'other' } })).toBe(false);
    expect(judge('my-agent', own)).toBe(false);
  });
});
