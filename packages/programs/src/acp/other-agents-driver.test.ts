import { givenSpec } from '@attache/agent-process/given-spec';
import { expect, it } from 'vitest';
import { otherAgentsDriver } from './other-agents-driver.ts';

it('an agent of which no more is known is given a home and nothing else', async () => {
  const nothing = { defaults: {}, env: {}, args: [], files: [], homeFolder: '/data/agents/agt/home' };
  const settingsOf = (rest = {}) =>
    otherAgentsDriver.settingsOf(givenSpec({ command: ['my-agent'], ...rest }), { PATH: '' });
  expect(await settingsOf()).toEqual({ ...nothing, refusal: undefined });
  const endpoint = { api: 'anthropic', baseUrl: 'https://api.example.com', apiKey: 'sk-key' } as const;
  expect((await settingsOf({ endpoint })).refusal).toContain('give that "env"');
  const env = { MY_URL: '{baseUrl}', MY_KEY: '{key}' };
  expect(await settingsOf({ endpoint: { ...endpoint, env } })).toEqual({ ...nothing, refusal: undefined });
});

it('a request for permission of such an agent is about no tool of Attaché', () => {
  const own = { kind: 'other', title: 'attache_resource_view', rawInput: {} };
  expect(otherAgentsDriver.acp.isAboutAttache(own, { meta: {}, earlier: {} })).toBe(false);
});
