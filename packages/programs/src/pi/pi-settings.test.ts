import type { AgentSpec } from '@attache/agent-process';
import { givenSpec } from '@attache/agent-process/given-spec';
import { describe, expect, it } from 'vitest';
import { piSettings } from './pi-settings.ts';

const endpointOf = (api: 'anthropic' | 'openai-chat' | 'google', baseUrl: string) =>
  ({ api, baseUrl, apiKey: 'sk-key' }) as const;
const settingsOf = (rest: Partial<AgentSpec> = {}) => piSettings(givenSpec({ provider: 'gw', model: 'm', ...rest }));
const modelsOf = (rest: Partial<AgentSpec>) =>
  settingsOf(rest).files.find(({ path }) => path.endsWith('models.json')) as
    | { json: { providers: Record<string, Record<string, unknown>> } }
    | undefined;

describe('the settings of pi', () => {
  it('load our extension and nothing of the workspace [BX-21]', () => {
    const { args } = settingsOf();
    expect(args).toEqual(
      expect.arrayContaining(['--no-extensions', '--no-skills', '--no-approve', '--no-context-files']),
    );
    expect(args[args.indexOf('--extension') + 1]).toMatch(/\/attache-extension\.ts$/);
  });

  it('leave it no tools of its own under deny alone [BX-21]', () => {
    expect(settingsOf({ permissionMode: 'deny' }).args).toContain('--no-builtin-tools');
    expect(settingsOf().args).not.toContain('--no-builtin-tools');
  });

  it('name the conversation to continue', () => {
    const { args } = settingsOf({ resumeReference: '0199-ab' });
    expect(args[args.indexOf('--session') + 1]).toBe('0199-ab');
    expect(settingsOf().args).not.toContain('--session');
  });

  it.each([
    ['anthropic', 'https://h/v1', 'https://h', 'anthropic-messages'],
    ['openai-chat', 'https://h/v1', 'https://h/v1', 'openai-completions'],
    ['google', 'https://h', 'https://h/v1beta', 'google-generative-ai'],
  ] as const)('have an endpoint of %s, with its key in the environment [S26]', (api, baseUrl, told, name) => {
    const given = { endpoint: endpointOf(api, baseUrl) };
    expect(modelsOf(given)?.json.providers.gw).toMatchObject({
      baseUrl: told,
      api: name,
      apiKey: '$ATTACHE_MODEL_KEY',
    });
    expect(settingsOf(given).env).toMatchObject({ ATTACHE_MODEL_KEY: 'sk-key' });
    expect(modelsOf({})).toBeUndefined();
  });

  it('say that a model takes images unless it is known to take none [BX-19]', () => {
    const inputOf = (modelTakes: AgentSpec['modelTakes']) =>
      modelsOf({ endpoint: endpointOf('anthropic', 'https://h'), modelTakes })?.json.providers.gw?.models;
    for (const image of ['yes', 'unknown'] as const)
      expect(inputOf({ image })).toEqual([{ id: 'm', input: ['text', 'image'] }]);
    expect(inputOf({ image: 'no' })).toEqual([{ id: 'm', input: ['text'] }]);
  });
});
