import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { programs } from '@attache/programs';
import { afterAll, describe, expect, it } from 'vitest';
import { readStandaloneConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'attache-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function placePrograms(...names: string[]): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const name of names) {
    writeFileSync(join(bin, name), '#!/bin/sh\n');
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

function writeProfiles(content: unknown): string {
  const path = join(mkdtempSync(join(folder, 'profiles-')), 'profiles.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const acp = { runtime: 'acp', command: ['my-agent'] };

function refusalOf(content: unknown, environment: Record<string, string> = {}): string {
  try {
    readStandaloneConfig({ PATH: '/nowhere', ATTACHE_PROFILES: writeProfiles(content), ...environment });
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID' });
    return (error as Error).message;
  }
  throw new Error('the profiles were taken');
}

describe('the configuration', () => {
  it('is refused with the faults of its settings and of its profiles at once [AT-10]', () => {
    const message = refusalOf(
      { profiles: { mine: { runtime: 'none' } } },
      { ATTACHE_PORT: 'many', ATTACHE_MAX_AGENTS: '-1' },
    );
    for (const named of ['ATTACHE_PORT', 'ATTACHE_MAX_AGENTS', 'profiles.mine.runtime'])
      expect(message).toContain(named);
  });

  it('has defaults that stay on this machine', () => {
    const config = readStandaloneConfig({ PATH: '/nowhere' });
    expect(config).toMatchObject({
      dataDir: resolve('.attache'),
      host: '127.0.0.1',
      port: 4100,
      opsPort: 4101,
      corsOrigins: 'localhost',
      maxUploadBytes: 26_214_400,
      isExportingTraces: false,
      warnings: [],
    });
  });

  it('passes on what a child inherits and nothing else of the environment', () => {
    const config = readStandaloneConfig({ PATH: '/bin', LANG: 'C.UTF-8', HOME: '/root', SECRET: 'x' });
    expect(config.inherited).toEqual({ PATH: '/bin', LANG: 'C.UTF-8' });
    expect(config.readVariable('SECRET')).toBe('x');
  });

  it('names every faulty setting at once, and warns of a name that nothing reads [AT-10]', () => {
    expect(() => readStandaloneConfig({ ATTACHE_PORT: 'x', ATTACHE_PUBLIC_URL: 'files' })).toThrow(
      /ATTACHE_PORT must.*\n.*ATTACHE_PUBLIC_URL must/,
    );
    const { warnings } = readStandaloneConfig({ PATH: '/nowhere', ATTACHE_DATADIR: '/x' });
    expect(warnings).toEqual(['ATTACHE_DATADIR is not a setting and has no effect. Did you mean ATTACHE_DATA_DIR?']);
  });
});

describe('without a profiles file', () => {
  it('the example agent is offered, run by this very Node', () => {
    const { profiles, bundledPrograms } = readStandaloneConfig({ PATH: '/nowhere' });
    expect(Object.keys(profiles)).toEqual(['example']);
    const [node, script = ''] = bundledPrograms['attache-example-agent'] ?? [];
    expect(node).toBe(process.execPath);
    expect(isAbsolute(script)).toBe(true);
  });

  it('each known program on PATH is offered', () => {
    const known = programs.flatMap(({ runtime, profile, isBundled }) =>
      profile === undefined || isBundled ? [] : [{ runtime, ...profile }],
    );
    const names = known.map(({ command: [name = ''] }) => name);
    const { profiles, warnings } = readStandaloneConfig({ PATH: placePrograms(...names) });
    const offered = Object.entries(profiles).map(([name, { runtime, command }]) => [name, runtime, command.join(' ')]);
    expect(offered).toEqual([
      ['example', 'acp', 'attache-example-agent'],
      ...known.map(({ name, runtime, command }) => [name, runtime, command.join(' ')]),
    ]);
    expect(offered).toContainEqual(['claude-acp', 'acp', 'claude-agent-acp']);
    expect(warnings).toEqual([]);
  });

  it('only executable files of absolute folders count as being on PATH', () => {
    const bin = placePrograms('gemini');
    chmodSync(join(bin, 'gemini'), 0o644);
    mkdirSync(join(folder, 'relative'), { recursive: true });
    const { profiles } = readStandaloneConfig({ PATH: `${bin}:relative:` });
    expect(Object.keys(profiles)).toEqual(['example']);
  });
});

describe('a profiles file', () => {
  it('is all that is offered, its defaults filled in', () => {
    const path = writeProfiles({ profiles: { mine: { ...acp, capability: { image: true } } } });
    const { profiles } = readStandaloneConfig({ PATH: placePrograms('gemini'), ATTACHE_PROFILES: path });
    expect(profiles).toEqual({
      mine: {
        ...acp,
        args: [],
        env: {},
        secretEnv: {},
        limits: { lineBytes: 32 * 1024 * 1024 },
        capability: { image: true },
      },
    });
  });

  it('that cannot be read, or is no JSON, is refused by its name [AT-10]', () => {
    expect(() => readStandaloneConfig({ ATTACHE_PROFILES: join(folder, 'missing.json') })).toThrow('missing.json');
    expect(refusalOf('{"profiles":')).toContain('cannot be read as JSON');
  });

  it('is refused with all its faults at once, each by its place [AT-10]', () => {
    const message = refusalOf({
      profiles: {
        one: { runtime: 'acp', command: [] },
        two: { ...acp, comand: ['typo'] },
        three: { ...acp, secretEnv: { KEY: 'plain-secret' } },
      },
    });
    for (const place of ['profiles.one.command', 'profiles.two', 'profiles.three.secretEnv.KEY']) {
      expect(message).toContain(place);
    }
    expect(message).not.toContain('plain-secret');
  });

  it('may say what model API is used, what is permitted and what is the most that an agent may have', () => {
    const endpoint = { api: 'anthropic', baseUrl: 'http://127.0.0.1:1', apiKey: 'env:KEY' };
    const limits = { memoryBytes: 1, cpuSeconds: 2, outputBytes: 3, lineBytes: 1024 };
    const modes = ['default', 'gated', 'deny'].map((permissionMode) => [
      permissionMode,
      { runtime: 'claude-stream-json', command: ['claude'], endpoint, limits, permissionMode },
    ]);
    const path = writeProfiles({ profiles: Object.fromEntries(modes) });
    const { profiles } = readStandaloneConfig({ PATH: '/nowhere', ATTACHE_PROFILES: path, KEY: 'sk-1' });
    expect(profiles).toMatchObject({ default: { endpoint, limits }, gated: {}, deny: { permissionMode: 'deny' } });
  });

  it('that asks for what does not work yet is refused, each thing by its name [AT-10]', () => {
    const undriven = ['codex-exec', 'opencode-serve', 'opencode-run'];
    const message = refusalOf({
      profiles: {
        ...Object.fromEntries(undriven.map((runtime) => [runtime, { runtime, command: ['agent'] }])),
        mine: { ...acp, workspace: '/work', permissionMode: 'ask' },
      },
    });
    expect(message.split('\n').slice(1)).toEqual([
      ...undriven.map((each) => `  - profile ${each}: runtime ${each} (it has no driver yet) is not supported`),
      '  - profile mine: workspace is not supported',
      '  - profile mine: permissionMode ask (it is one of default, gated, deny) is not supported',
    ]);
  });

  it("takes a tenant's secret as the key of a model API, and gives none to a child [BX-24]", () => {
    const endpoint = { api: 'google', baseUrl: 'http://127.0.0.1:1', apiKey: 'tenant:MY-KEY' };
    const path = writeProfiles({ profiles: { mine: { ...acp, endpoint } } });
    const { profiles } = readStandaloneConfig({ PATH: '/nowhere', ATTACHE_PROFILES: path });
    expect(profiles.mine?.endpoint?.apiKey).toBe('tenant:MY-KEY');
    const message = refusalOf({ profiles: { mine: { ...acp, secretEnv: { KEY: 'tenant:MY-KEY' } } } });
    expect(message).toContain(
      'profile mine: secretEnv.KEY names tenant:MY-KEY: a secret of a tenant is taken in endpoint.apiKey only.',
    );
  });

  it('whose secrets are not there is refused: the profile, the place and the name, never a value [AT-10]', () => {
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, 'sk-of-a-file');
    const endpoint = { api: 'google', baseUrl: 'http://127.0.0.1:1', apiKey: 'env:ABSENT_KEY' };
    const profiles = {
      one: { ...acp, endpoint, secretEnv: { HERE: 'env:HERE', FILE: `file:${keyFile}` } },
      two: { ...acp, secretEnv: { GONE: 'env:GONE', LOST: 'file:/no/such/key' } },
    };
    const message = refusalOf({ profiles }, { HERE: 'sk-of-here' });
    expect(message.split('\n').slice(1)).toEqual([
      '  - profile one: endpoint.apiKey names env:ABSENT_KEY, which is not set',
      '  - profile two: secretEnv.GONE names env:GONE, which is not set',
      '  - profile two: secretEnv.LOST names file:/no/such/key, which cannot be read',
    ]);
    expect(message).not.toContain('sk-of');
  });
});
