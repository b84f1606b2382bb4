import type { AgentSpec } from '@attache/agent-process';
import { givenSpec } from '@attache/agent-process/given-spec';
import { describe, expect, it } from 'vitest';
import { codexAppServerSettings } from './codex-settings.ts';

const endpoint = { api: 'openai-responses', baseUrl: 'https://api.example.com/v1', apiKey: 'sk-key' } as const;
const mcpCommand = ['/opt/a "b"/node', '/opt/attache-mcp.js'];

/** Reads the value after each `-c`, by its key. */
async function readOverrides(rest: Partial<AgentSpec> = {}) {
  const settings = await codexAppServerSettings(givenSpec(rest), { PATH: '/nowhere' });
  const [subcommand, ...args] = settings.args;
  expect(subcommand).toBe('app-server');
  expect(args.filter((_, index) => index % 2 === 0).every((flag) => flag === '-c')).toBe(true);
  const values = args.filter((_, index) => index % 2 === 1);
  const entries = values.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)] as const);
  return { settings, overrides: Object.fromEntries(entries.map(([key, value]) => [key, JSON.parse(value)])) };
}

describe('what Codex is told', () => {
  it('without a word in the profile: a folder of its own, to send nothing elsewhere, and to keep no copy of its environment [S26]', async () => {
    const { settings, overrides } = await readOverrides();
    expect(overrides).toEqual({
      check_for_update_on_startup: false,
      'features.plugins': false,
      'features.apps': false,
      'features.shell_snapshot': false,
      'analytics.enabled': false,
    });
    expect(settings.refusal).toBeUndefined();
    expect(settings).toMatchObject({ env: { CODEX_HOME: '/data/agents/agt/config' } });
    expect(settings.files).toEqual([
      { path: '/data/agents/agt/config/environments.toml', text: 'default = "local"\n' },
    ]);
  });

  it('of an endpoint: a provider of that address, and the name of the variable that has the key', async () => {
    const { settings, overrides } = await readOverrides({ endpoint, model: 'gpt-x' });
    expect(overrides).toMatchObject({
      model: 'gpt-x',
      model_provider: 'attache',
      'model_providers.attache.base_url': 'https://api.example.com/v1',
      'model_providers.attache.wire_api': 'responses',
      'model_providers.attache.env_key': 'ATTACHE_MODEL_KEY',
    });
    expect(settings.env).toMatchObject({ ATTACHE_MODEL_KEY: 'sk-key' });
    const { apiKey: _, ...keyless } = endpoint;
    expect((await readOverrides({ endpoint: keyless })).overrides).not.toHaveProperty(
      'model_providers.attache.env_key',
    );
  });

  it('of the MCP server: program, arguments and the names of the variables that it needs', async () => {
    const { overrides } = await readOverrides({ mcpCommand });
    expect(overrides).toMatchObject({
      'mcp_servers.attache.command': '/opt/a "b"/node',
      'mcp_servers.attache.args': ['/opt/attache-mcp.js'],
      'mcp_servers.attache.env_vars': ['ATTACHE_AGENT_SOCKET', 'ATTACHE_AGENT_TOKEN'],
    });
  });

  it('of a value with quotes, line ends and what TOML forbids: one string, and no second setting [S26]', async () => {
    const baseUrl = 'https://h/"\nsandbox_mode="danger-full-access"\u007f';
    const { settings, overrides } = await readOverrides({ endpoint: { ...endpoint, baseUrl } });
    expect(overrides['model_providers.attache.base_url']).toBe(baseUrl);
    expect(settings.args.join('')).not.toMatch(/[\n\u007f]/);
  });

  it('under deny: of no place to run in, no switch left on, and nothing that a home says of tools [BX-21]', async () => {
    const { settings, overrides } = await readOverrides({ permissionMode: 'deny', home: '/srv/home' });
    expect(overrides).toMatchObject({
      ...{ 'features.shell_tool': false, 'features.view_image': false, 'features.multi_agent': false },
      ...{ web_search: 'disabled', 'tools.update_plan.enabled': false },
    });
    expect(settings.files).toEqual([
      { path: '/data/agents/agt/config/environments.toml', text: 'default = "none"\n' },
      { path: '/data/agents/agt/config/config.toml', text: expect.stringContaining('shell_snapshot = false') },
    ]);
  });

  it('of a conversation nothing: it is resumed by the protocol', async () => {
    const { settings } = await readOverrides({ resumeReference: '0199-ab' });
    expect(JSON.stringify(settings)).not.toContain('0199-ab');
  });
});
