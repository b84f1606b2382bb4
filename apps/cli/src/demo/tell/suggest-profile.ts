import type { Profile } from '@attache/contracts';
import type { DemoAgent } from '../choose-agent.ts';

type Endpoint = NonNullable<Profile['endpoint']>;

const endpoints: Readonly<Record<string, Endpoint>> = {
  anthropic: { api: 'anthropic', baseUrl: 'https://api.anthropic.com', apiKey: 'env:ANTHROPIC_API_KEY' },
  openai: { api: 'openai-responses', baseUrl: 'https://api.openai.com/v1', apiKey: 'env:OPENAI_API_KEY' },
  google: { api: 'google', baseUrl: 'https://generativelanguage.googleapis.com', apiKey: 'env:GEMINI_API_KEY' },
};

/** Lines of a profiles file by which this agent gets a key, as far as its provider is known. */
export function suggestProfile({ profile: name, model, offered }: DemoAgent): string[] {
  const { runtime, command, provider = '' } = offered;
  const endpoint = offered.endpoint ?? (Object.hasOwn(endpoints, provider) ? endpoints[provider] : undefined);
  if (endpoint?.apiKey === undefined) return ['docs/agents.md says how a profile gives an agent its key.'];
  const suggested = { runtime, command, provider, model, endpoint };
  return [
    'An agent does not see your own sign-in. Put its key into a variable, name it in a file, and the file in ATTACHE_PROFILES:',
    ...JSON.stringify({ profiles: { [name]: suggested } }, null, 2).split('\n'),
    'Or name a folder with a sign-in as the `home` of the profile.',
  ];
}
