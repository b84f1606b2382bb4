import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { childEnvironment } from './child-environment.ts';

const spec = { env: {}, folder: '/data/agt', socketPath: '/tmp/a/s', token: 'ata_t', marker: 'r.1' };
const settings = { defaults: {}, env: {} };
const inherited = { PATH: '/bin', LANG: 'C.UTF-8', TZ: undefined };

it('gives a child the allow-list and its own settings, nothing else [S26 AT-24]', () => {
  expect(childEnvironment(spec, settings, inherited)).toEqual({
    PATH: '/bin',
    LANG: 'C.UTF-8',
    HOME: '/data/agt/home',
    TMPDIR: '/data/agt/tmp',
    ATTACHE_AGENT_SOCKET: '/tmp/a/s',
    ATTACHE_AGENT_TOKEN: 'ata_t',
    ATTACHE_CHILD_OF: 'r.1',
  });
});

it('says where the proxy is to what its profile allows, whatever the profile says [BX-22]', () => {
  const env = { HTTPS_PROXY: 'http://127.0.0.1:9', no_proxy: '*' };
  const given = childEnvironment({ ...spec, env, egressSocketPath: '/run/a.out' }, settings, inherited);
  const proxy = 'http://127.0.0.1:8088';
  expect(given).toMatchObject({ HTTPS_PROXY: proxy, https_proxy: proxy, no_proxy: '127.0.0.1,localhost' });
  expect(childEnvironment(spec, settings, inherited)).not.toHaveProperty('HTTPS_PROXY');
});

it('adds what the profile gives, but never in place of what the gateway sets [S26]', () => {
  const env = { MODEL_KEY: 'k', HOME: '/root', ATTACHE_AGENT_TOKEN: 'other', ATTACHE_CHILD_OF: 'none', PATH: '/opt' };
  expect(childEnvironment({ ...spec, env }, settings, inherited)).toMatchObject({
    MODEL_KEY: 'k',
    PATH: '/opt',
    HOME: '/data/agt/home',
    ATTACHE_AGENT_TOKEN: 'ata_t',
    ATTACHE_CHILD_OF: 'r.1',
  });
});

it('has the endpoint in the variables that the profile names, and whatever else these say [BX-24]', () => {
  const values = { api: 'openai-chat', baseUrl: 'http://127.0.0.1:9/agt/v1', apiKey: 'atr_t' } as const;
  const named = {
    MY_URL: '{baseUrl}',
    MY_KEY: '{key}',
    MY_MODELS: '[{"name": "{model}", "at": "{baseUrl}/chat", "k": "{name}"}]',
    HOME: '{key}',
  };
  const given = { ...spec, env: { MY_KEY: 'of the profile' }, model: '$&-1', endpoint: { ...values, env: named } };
  expect(childEnvironment(given, settings, inherited)).toMatchObject({
    MY_URL: 'http://127.0.0.1:9/agt/v1',
    MY_KEY: 'atr_t',
    MY_MODELS: '[{"name": "$&-1", "at": "http://127.0.0.1:9/agt/v1/chat", "k": "{name}"}]',
    HOME: '/data/agt/home',
  });
  const bare = childEnvironment({ ...spec, endpoint: values, model: 'm' }, settings, inherited);
  expect(Object.values(bare).join()).not.toMatch(/127\.0\.0\.1|atr_t/);
});

it('has the program’s own settings, of which the profile may replace those that only choose [S26]', () => {
  const chosen = { defaults: { RETRIES: '2', QUIET: '1' }, env: { CONFIG_DIR: '/data/agt/config' } };
  const env = { RETRIES: '9', CONFIG_DIR: '/elsewhere' };
  expect(childEnvironment({ ...spec, env }, chosen, inherited)).toMatchObject({
    RETRIES: '9',
    QUIET: '1',
    CONFIG_DIR: '/data/agt/config',
  });
});

it('gives nothing by itself that the page of settings does not name [AT-24]', () => {
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## Environment of a child process');
  const inherited = { PATH: '/bin', LANG: 'C', TZ: 'UTC' };
  const spec = { env: {}, folder: '/f', socketPath: '/s', token: 't', marker: 'm' };
  const names = Object.keys(childEnvironment(spec, { defaults: {}, env: {} }, inherited));
  expect(names.length).toBe(8);
  expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});
