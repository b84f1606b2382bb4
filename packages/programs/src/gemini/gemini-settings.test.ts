import { givenSpec } from '@attache/agent-process/given-spec';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { geminiSettings } from './gemini-settings.ts';

const endpoint = { api: 'google', baseUrl: 'https://api.example.com/v1beta/', apiKey: 'sk-key' } as const;
const config = '/data/agents/agt/config';

describe('what Gemini CLI is told', () => {
  it('without a word in the profile: a folder of its own, to report nothing, and to ask before every tool [BX-21]', () => {
    const { args, env, files, homeFolder, refusal } = geminiSettings(givenSpec());
    expect([args, homeFolder, refusal]).toEqual([[], config, undefined]);
    expect(env).toEqual({
      GEMINI_CLI_HOME: config,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    });
    expect(files).toMatchObject([
      {
        path: `${config}/.gemini/settings.json`,
        json: {
          general: { enableAutoUpdate: false },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          // The program's file reader may open the copies that attachment_file puts there.
          context: { includeDirectories: ['/data/agents/agt/files'] },
        },
      },
      { path: `${config}/.gemini/policies/attache.toml`, text: expect.stringContaining('decision = "ask_user"') },
    ]);
    expect(JSON.stringify(files)).not.toContain('selectedType');
  });

  it('of model and endpoint: its name behind a flag, the address without the version, the key, the way to sign in', () => {
    const { args, env, files } = geminiSettings(givenSpec({ model: 'gemini-x', endpoint }));
    expect(args).toEqual(['-m', 'gemini-x']);
    expect(env).toMatchObject({ GOOGLE_GEMINI_BASE_URL: 'https://api.example.com', GEMINI_API_KEY: 'sk-key' });
    expect(files[0]).toMatchObject({ json: { security: { auth: { selectedType: 'gemini-api-key' } } } });
  });

  it('under deny: of the tools of Attaché by their names, and that no other is there [BX-21]', () => {
    const { args, files } = geminiSettings(givenSpec({ permissionMode: 'deny' }));
    const policy = `${config}/.gemini/policies/attache.toml`;
    expect(args).toEqual(['--admin-policy', policy]);
    expect(JSON.stringify(files)).not.toContain('includeDirectories');
    const text = files.flatMap((file) => (file.path === policy && 'text' in file ? [file.text] : [])).join();
    expect(parse(text)).toEqual({
      rule: [
        { toolName: '*', decision: 'deny', priority: 998 },
        { toolName: expect.arrayContaining(['mcp_attache_resource_view']), decision: 'ask_user', priority: 999 },
      ],
    });
  });

  it('of a conversation and an MCP server nothing: both go by the protocol', () => {
    const settings = geminiSettings(givenSpec({ resumeReference: '0199-ab', mcpCommand: ['/opt/attache-mcp'] }));
    expect(JSON.stringify(settings)).not.toMatch(/0199-ab|attache-mcp/);
  });
});
