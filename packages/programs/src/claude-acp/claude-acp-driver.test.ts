import type { AgentSpec } from '@attache/agent-process';
import { givenSpec } from '@attache/agent-process/given-spec';
import { describe, expect, it } from 'vitest';
import { claudeAcpDriver } from './claude-acp-driver.ts';

const settingsOf = async (rest: Partial<AgentSpec> = {}) => claudeAcpDriver.settingsOf(givenSpec(rest), { PATH: '' });
const endpoint = { api: 'anthropic', baseUrl: 'https://api.example.com', apiKey: 'sk-key' } as const;

describe('the settings of claude-agent-acp', () => {
  it('are those of Claude Code, with its model in a variable and the tools that must ask [BX-21]', async () => {
    const { args, env, files } = await settingsOf({ model: 'claude-x', endpoint });
    expect(args).toEqual([]);
    expect(env).toMatchObject({ ANTHROPIC_MODEL: 'claude-x', ANTHROPIC_API_KEY: 'sk-key' });
    expect(files).toMatchObject([
      {
        path: '/data/agents/agt/config/settings.json',
        json: { permissions: { ask: expect.arrayContaining(['Bash', 'Read', 'mcp__attache']) } },
      },
    ]);
    expect((await settingsOf()).env).toMatchObject({ CLAUDE_CONFIG_DIR: '/data/agents/agt/config' });
  });

  it('leave it no tools, and no servers but ours, under deny alone; it always passes on what it hears of refusals [BX-21 DL-58]', () => {
    const metaOf = (permissionMode: 'gated' | 'deny') => claudeAcpDriver.acp.metaOf({ permissionMode });
    const emitRawSDKMessages = [{ type: 'assistant' }, { type: 'result' }];
    const options = { tools: [], strictMcpConfig: true };
    expect(metaOf('deny')).toEqual({ claudeCode: { emitRawSDKMessages, options } });
    expect(metaOf('gated')).toEqual({ claudeCode: { emitRawSDKMessages } });
  });
});

it('a request for permission is about a tool of Attaché only where the program itself says so, and not what its model wrote [BX-21]', () => {
  const judge = (call: Record<string, unknown>) => claudeAcpDriver.acp.isAboutAttache(call, { meta: {}, earlier: {} });
  expect(judge({ _meta: { claudeCode: { mcpServer: { name: 'attache' } } } })).toBe(true);
  expect(judge({ title: 'mcp__attache__resource_view' })).toBe(false);
});
