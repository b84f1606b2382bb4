import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
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

function refusalOf(content: unknown): string {
  try {
    readStandaloneConfig({ PATH: '/nowhere', ATTACHE_PROFILES: writeProfiles(content) });
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID' });
    return (error as Error).message;
  }
  throw new Error('the profiles were taken');
}

describe('the configuration', () => {
  it('has defaults that stay on this machine', () => {
    const config = readStandaloneConfig({ PATH: '/nowhere' });
    expect(config).toMatchObject({
      dataDir: resolve('.attache'),
      host: '127.0.0.1',
      port: 4100,
      opsPort: 4101,
      corsOrigins: [],
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

  it('a known program on PATH is offered where its runtime has a driver; else one line says that it is left out', () => {
    const { profiles, warnings } = readStandaloneConfig({ PATH: placePrograms('gemini', 'claude') });
    expect(Object.keys(profiles)).toEqual(['example', 'gemini']);
    expect(profiles.gemini).toMatchObject({ runtime: 'acp', command: ['gemini', '--acp'] });
    expect(warnings).toEqual([
      'claude is on PATH, but its runtime claude-stream-json has no driver yet: it is not offered.',
    ]);
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

  it('that asks for what does not work yet is refused, each thing by its name [AT-10]', () => {
    const message = refusalOf({
      profiles: {
        claude: { runtime: 'claude-stream-json', command: ['claude'] },
        mine: {
          ...acp,
          endpoint: { api: 'anthropic', baseUrl: 'http://127.0.0.1:1' },
          workspace: '/work',
          permissionMode: 'ask',
          limits: { memoryBytes: 1, cpuSeconds: 1 },
          secretEnv: { KEY: 'tenant:KEY' },
        },
      },
    });
    expect(message.split('\n').slice(1)).toEqual([
      '  - profile claude: runtime claude-stream-json (it has no driver yet) is not supported',
      '  - profile mine: endpoint is not supported',
      '  - profile mine: workspace is not supported',
      '  - profile mine: permissionMode is not supported',
      '  - profile mine: limits.memoryBytes is not supported',
      '  - profile mine: limits.cpuSeconds is not supported',
      '  - profile mine: secretEnv with tenant: (tenant secrets do not exist yet) is not supported',
    ]);
  });
});
