import type { AgentEndpoint, AgentSpec } from '@attache/agent-process';
import { givenSpec } from '@attache/agent-process/given-spec';
import { describe, expect, it } from 'vitest';
import { openCodeSettings } from './opencode-settings.ts';

const endpoint: AgentEndpoint = { api: 'openai-chat', baseUrl: 'https://api.example.com/v1', apiKey: 'sk-key' };

function readSettings(rest: Partial<AgentSpec> = {}) {
  const settings = openCodeSettings(givenSpec(rest));
  return { settings, config: JSON.parse(settings.env.OPENCODE_CONFIG_CONTENT ?? '') };
}

describe('what OpenCode is told', () => {
  it('without a word in the profile: to ask before every tool, to share nothing, folders of its own [BX-21]', () => {
    const { settings, config } = readSettings();
    expect(config).toEqual({ autoupdate: false, share: 'disabled', snapshot: false, permission: { '*': 'ask' } });
    expect(settings.defaults).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: '1', NPM_CONFIG_OFFLINE: 'true' });
    const { OPENCODE_CONFIG_CONTENT: _, ...folders } = settings.env;
    expect(Object.keys(folders)).toHaveLength(4);
    for (const folder of Object.values(folders)) expect(folder).toMatch(/^\/data\/agents\/agt\/config\//);
    expect([settings.args, settings.files]).toEqual([[], []]);
  });

  it('of a model of its own: the same for every errand', () => {
    const { config } = readSettings({ provider: 'anthropic', model: 'claude-x' });
    expect(config).toMatchObject({ model: 'anthropic/claude-x', small_model: 'anthropic/claude-x' });
    expect(config).not.toHaveProperty('provider');
  });

  it('of an endpoint: a provider with one model, and what it is not known to refuse [BX-19]', () => {
    const modelTakes = { image: 'yes', pdf: 'unknown', audio: 'no', video: 'no' } as const;
    const { config } = readSettings({ endpoint, provider: 'gw', model: 'm', modelTakes });
    expect(config.provider.gw).toMatchObject({
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: 'https://api.example.com/v1', apiKey: 'sk-key' },
      models: { m: { attachment: true, modalities: { input: ['text', 'image', 'pdf'], output: ['text'] } } },
    });
    const none = { image: 'no', pdf: 'no', audio: 'no', video: 'no' } as const;
    const { config: words } = readSettings({ endpoint, provider: 'gw', model: 'm', modelTakes: none });
    expect(words.provider.gw.models.m).toMatchObject({ attachment: false, modalities: { input: ['text'] } });
  });

  it('under deny: that only the tools of Attaché are there, and of no settings that a home has [BX-21]', () => {
    const { settings, config } = readSettings({ permissionMode: 'deny' });
    expect(config.permission).toEqual({ '*': 'deny', 'attache_*': 'ask' });
    expect(settings.env.XDG_CONFIG_HOME).not.toBe(readSettings().settings.env.XDG_CONFIG_HOME);
    expect(settings.env.XDG_DATA_HOME).toBe(readSettings().settings.env.XDG_DATA_HOME);
  });

  it.each(['anthropic', 'openai-responses', 'openai-chat', 'google'] as const)('speaks %s', (api) => {
    const { settings, config } = readSettings({ endpoint: { ...endpoint, api }, provider: 'gw', model: 'm' });
    expect(settings.refusal).toBeUndefined();
    expect(config.provider.gw.npm).toMatch(/^@ai-sdk\//);
  });
});
