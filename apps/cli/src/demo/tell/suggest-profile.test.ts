import { profileSchema, profilesFileSchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { suggestProfile } from './suggest-profile.ts';

const codex = profileSchema.parse({ runtime: 'codex-app-server', command: ['codex'], provider: 'openai' });

it('suggests a profiles file that would be taken, with a key by its variable', () => {
  const lines = suggestProfile({ profile: 'codex', model: 'gpt-5.5', offered: codex });
  const text = lines.join('\n');
  const file = profilesFileSchema.parse(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)));
  expect(file.profiles.codex).toMatchObject({ model: 'gpt-5.5', endpoint: { apiKey: 'env:OPENAI_API_KEY' } });
});

it('suggests the endpoint that the profile has, and none where nothing is known', () => {
  const endpoint = { api: 'anthropic', baseUrl: 'http://gateway', apiKey: 'env:GATEWAY_KEY' } as const;
  const own = suggestProfile({ profile: 'mine', model: 'm', offered: { ...codex, endpoint } });
  expect(own.join('\n')).toContain('env:GATEWAY_KEY');
  const unknown = suggestProfile({ profile: 'mine', model: 'm', offered: { ...codex, provider: 'mine' } });
  expect(unknown).toEqual(['docs/agents.md says how a profile gives an agent its key.']);
});
