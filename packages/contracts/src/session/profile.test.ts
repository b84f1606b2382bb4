import { describe, expect, it } from 'vitest';
import { DEFAULT_LINE_BYTES, describeProfilesFile, profileSchema, profilesFileSchema } from './profile.ts';

const profile = { runtime: 'acp', command: ['/opt/agent'] };
const endpoint = { api: 'anthropic', baseUrl: 'https://api.example.com' };

const isAccepted = (given: object) => profileSchema.safeParse({ ...profile, ...given }).success;

type Node = { description?: string; properties?: Record<string, Node> };

/** Every property of a JSON schema at any depth, by its path. */
function listProperties(schema: unknown, place = ''): [string, Node][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...rest } = schema as Node;
  const own = Object.entries(properties).map(([name, node]): [string, Node] => [`${place}.${name}`, node]);
  const inner = own.flatMap(([path, node]) => listProperties(node, path));
  return [...own, ...inner, ...Object.values(rest).flatMap((node) => listProperties(node, place))];
}

it('the JSON schema of the profiles file says of every property what it is', () => {
  const properties = listProperties(describeProfilesFile());
  expect(properties.map(([path]) => path)).toEqual(
    expect.arrayContaining(['.profiles.command', '.profiles.sandbox.network.allow', '.profiles.limits.lineBytes']),
  );
  expect(properties.filter(([, { description = '' }]) => description.length < 8).map(([path]) => path)).toEqual([]);
});

describe('profileSchema', () => {
  it('fills in what is left out; a line holds 32 MiB', () => {
    expect(DEFAULT_LINE_BYTES).toBe(33_554_432);
    const filled = { args: [], env: {}, secretEnv: {}, limits: { lineBytes: DEFAULT_LINE_BYTES } };
    expect(profileSchema.parse(profile)).toEqual({ ...profile, ...filled });
    expect(profileSchema.parse({ ...profile, limits: { turnMs: 5 } }).limits).toEqual({
      turnMs: 5,
      lineBytes: DEFAULT_LINE_BYTES,
    });
  });

  it.each([
    ['on the profile', { shell: true }],
    ['in its endpoint', { endpoint: { ...endpoint, key: 'sk-1' } }],
    ['in its limits', { limits: { lines: 3 } }],
    ['in its capability', { capability: { images: true } }],
  ])('refuses an unknown field %s [AT-10]', (_name, given) => {
    expect(isAccepted(given)).toBe(false);
  });

  it('takes a sandbox whose network fits the endpoint, and no form of it that does not work yet [BX-22]', () => {
    const mode = 'bubblewrap';
    expect(profileSchema.parse({ ...profile, endpoint, sandbox: { mode } }).sandbox).toEqual({ mode, readOnly: [] });
    expect(profileSchema.parse({ ...profile, sandbox: {} }).sandbox).toEqual({ readOnly: [] });
    expect(isAccepted({ sandbox: { network: 'none' } })).toBe(true);
    expect(isAccepted({ sandbox: { mode, network: 'none', readOnly: ['/srv/a'], memoryBytes: 1, pids: 1 } })).toBe(
      true,
    );
    expect(isAccepted({ sandbox: { mode: 'none' } })).toBe(true);
    const refused = [
      ...[{ mode, network: 'relay' }, { network: 'relay' }, { mode: 'command' }, { mode: 'none', wrapper: 'x' }],
      ...['srv', '/', '/srv/../etc', '/srv/.'].map((place) => ({ mode, network: 'none', readOnly: [place] })),
    ];
    for (const sandbox of refused) expect([sandbox, isAccepted({ sandbox })]).toEqual([sandbox, false]);
    for (const sandbox of [{ mode, network: 'none' }, { network: 'none' }])
      expect(isAccepted({ endpoint, sandbox })).toBe(false);
  });

  it('takes a wrapper of the operator’s, and none without its command [BX-22]', () => {
    const wrapped = { mode: 'command', command: ['/opt/wrap', '--show={folder}'] };
    expect(profileSchema.parse({ ...profile, sandbox: wrapped }).sandbox).toMatchObject(wrapped);
    expect(isAccepted({ endpoint, sandbox: { ...wrapped, readOnly: ['/srv/a'], memoryBytes: 1, pids: 1 } })).toBe(true);
    for (const sandbox of [
      ...[{ mode: 'command' }, { mode: 'command', command: [] }, { mode: 'command', command: [''] }],
      ...[
        { mode: 'none', command: ['/opt/wrap'] },
        { ...wrapped, mode: 'bubblewrap', network: 'none' },
      ],
      { ...wrapped, network: { allow: ['api.example.com:443'] } },
    ])
      expect([sandbox, isAccepted({ sandbox })]).toEqual([sandbox, false]);
  });

  it.each(['env:ANTHROPIC_API_KEY', 'env:_x1', 'file:/run/secrets/key', 'tenant:openai-1'])(
    'takes a reference to a secret: %s',
    (reference) => {
      expect(isAccepted({ endpoint: { ...endpoint, apiKey: reference } })).toBe(true);
      expect(isAccepted({ secretEnv: { KEY: reference } })).toBe(true);
    },
  );

  it.each([
    'sk-live-1234',
    'env:',
    'env:A B',
    'env:1A',
    'file:relative',
    'file:',
    'tenant:',
    'tenant:a/b',
    'tenant:-a',
    `tenant:${'a'.repeat(65)}`,
    'ENV:A',
    '',
  ])('refuses a secret itself, and a reference that names nothing: %j', (secret) => {
    expect(isAccepted({ endpoint: { ...endpoint, apiKey: secret } })).toBe(false);
    expect(isAccepted({ secretEnv: { KEY: secret } })).toBe(false);
  });

  it('takes the variables by which a program finds the relay, if they hold its address and its key [BX-24]', () => {
    const isTaken = (env: object) => isAccepted({ endpoint: { ...endpoint, env } });
    expect(isTaken({ MY_URL: '{baseUrl}', MY_KEY: '{key}', MY_MODEL: '{model}' })).toBe(true);
    expect(isTaken({ MY_SETTINGS: '{"url": "{baseUrl}", "key": "{key}"}' })).toBe(true);
    for (const env of [{}, { A: '{key}' }, { A: '{baseUrl}' }, { 'A B': '{key} {baseUrl}' }, { A: 1 }])
      expect([env, isTaken(env)]).toEqual([env, false]);
  });

  it.each([
    ['no command', { command: [] }],
    ['an empty program', { command: [''] }],
    ['one string for a shell', { command: 'agent --flag' }],
    ['an unknown runtime', { runtime: 'telnet' }],
    ['a model that looks like a flag', { model: '--settings=x' }],
    ['an endpoint that is no URL', { endpoint: { ...endpoint, baseUrl: 'api.example.com' } }],
    ['a line of no length', { limits: { lineBytes: 0 } }],
  ])('refuses %s', (_name, given) => {
    expect(isAccepted(given)).toBe(false);
  });

  it('stands in a file under a name without blanks or dots, and beside nothing else [AT-10]', () => {
    expect(profilesFileSchema.safeParse({ profiles: { 'claude-1': profile } }).success).toBe(true);
    for (const name of ['a b', '../a', 'a.b', '-a', '']) {
      expect(profilesFileSchema.safeParse({ profiles: { [name]: profile } }).success).toBe(false);
    }
    expect(profilesFileSchema.safeParse({ profiles: {}, defaults: {} }).success).toBe(false);
  });
});
