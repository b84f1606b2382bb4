import { givenSpec } from '@attache/agent-process/given-spec';
import { describe, expect, it } from 'vitest';
import { claudeSettings } from './claude-settings.ts';

const endpoint = { api: 'anthropic', baseUrl: 'https://api.example.com/v1', apiKey: 'sk-key' } as const;

const valueBehind = (args: readonly string[], flag: string) =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : null;

describe('what Claude Code is told', () => {
  it('without a word in the profile: its protocol, a folder of its own, no settings but these', () => {
    const { args, env, files, homeFolder, refusal } = claudeSettings(givenSpec());
    expect(args.slice(0, 6)).toEqual([
      '-p',
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--verbose',
    ]);
    expect(valueBehind(args, '--setting-sources')).toBe('');
    expect(args).toContain('--strict-mcp-config');
    expect(JSON.parse(valueBehind(args, '--mcp-config') ?? '')).toEqual({ mcpServers: {} });
    expect([valueBehind(args, '--model'), valueBehind(args, '--resume')]).toEqual([null, null]);
    expect(env).toEqual({ CLAUDE_CONFIG_DIR: '/data/agents/agt/config', CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' });
    expect([files, homeFolder, refusal]).toEqual([[], '/data/agents/agt/config', undefined]);
  });

  it('of an endpoint: its address without the version, and the key', () => {
    const { env } = claudeSettings(givenSpec({ endpoint }));
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: 'https://api.example.com', ANTHROPIC_API_KEY: 'sk-key' });
    const { apiKey: _, ...keyless } = endpoint;
    expect(claudeSettings(givenSpec({ endpoint: keyless })).env).not.toHaveProperty('ANTHROPIC_API_KEY');
  });

  it('of model, conversation and MCP server: one argument each, behind its flag', () => {
    const mcpCommand = ['/opt/a b/node', '/opt/attache-mcp.js', '--quiet'];
    const { args } = claudeSettings(givenSpec({ model: 'claude-x', resumeReference: '0199-ab', mcpCommand }));
    expect(valueBehind(args, '--model')).toBe('claude-x');
    expect(valueBehind(args, '--resume')).toBe('0199-ab');
    const attache = { type: 'stdio', command: '/opt/a b/node', args: ['/opt/attache-mcp.js', '--quiet'] };
    expect(JSON.parse(valueBehind(args, '--mcp-config') ?? '')).toEqual({ mcpServers: { attache } });
  });

  it('under deny: of no tools at all [BX-21]', () => {
    expect(valueBehind(claudeSettings(givenSpec({ permissionMode: 'deny' })).args, '--tools')).toBe('');
    expect(claudeSettings(givenSpec()).args).not.toContain('--tools');
  });

  it('of a home: its own settings count, those of the workspace never', () => {
    const { args } = claudeSettings(givenSpec({ home: '/srv/signed-in' }));
    expect(valueBehind(args, '--setting-sources')).toBe('user');
  });
});
