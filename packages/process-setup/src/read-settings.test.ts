import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings, warnOfUnknown } from './read-settings.ts';
import { httpUrl, integer, oneOf, originList, text } from './setting.ts';

const meaning = 'For these tests.';
const table = {
  ATTACHE_PORT: integer({ default: '4100', min: 0, max: 65_535, meaning }),
  ATTACHE_MODE: oneOf(['quiet', 'loud'], { default: 'quiet', meaning }),
  ATTACHE_ORIGINS: originList({ default: '', meaning }),
  ATTACHE_URL: httpUrl({ meaning }),
  ATTACHE_SECRET: text({ isSecret: true, pattern: /^k\d+:.{8,}$/, example: 'k1:secret', meaning }),
} as const;

const folder = mkdtempSync(join(tmpdir(), 'attache-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readMessage = (environment: Record<string, string>): string => {
  try {
    readSettings(table, environment);
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', retryable: false });
    return (error as Error).message;
  }
  throw new Error('the settings were taken');
};

describe('settings', () => {
  it('have defaults; an optional one has no value, and an empty variable counts as not set', () => {
    expect(readSettings(table, { ATTACHE_PORT: '', ATTACHE_URL: '' })).toEqual({
      ATTACHE_PORT: 4100,
      ATTACHE_MODE: 'quiet',
      ATTACHE_ORIGINS: [],
      ATTACHE_URL: undefined,
      ATTACHE_SECRET: undefined,
    });
  });

  it('are read in their type', () => {
    const environment = {
      ATTACHE_PORT: '0',
      ATTACHE_MODE: 'loud',
      ATTACHE_ORIGINS: 'https://a.example, https://b.example,',
      ATTACHE_URL: 'https://files.example/base//',
      ATTACHE_SECRET: 'k1:12345678',
    };
    expect(readSettings(table, environment)).toEqual({
      ATTACHE_PORT: 0,
      ATTACHE_MODE: 'loud',
      ATTACHE_ORIGINS: ['https://a.example', 'https://b.example'],
      ATTACHE_URL: 'https://files.example/base',
      ATTACHE_SECRET: 'k1:12345678',
    });
  });

  it('that are faulty are named all at once, each with what it must be, and never with a secret [AT-10]', () => {
    const message = readMessage({
      ATTACHE_PORT: '65536',
      ATTACHE_MODE: 'silent',
      ATTACHE_URL: 'ftp://files.example',
      ATTACHE_SECRET: 'hunter2',
    });
    expect(message.split('\n')).toEqual([
      'The settings are faulty:',
      '  - ATTACHE_PORT must be a whole number from 0 to 65535',
      '  - ATTACHE_MODE must be one of quiet, loud',
      '  - ATTACHE_URL must be an http or https URL',
      '  - ATTACHE_SECRET must look like k1:secret',
    ]);
  });

  it.each(['-1', '1.5', '1e3', '0x10', ' 1', '1 ', 'NaN', '９'])('take no number written as %j', (written) => {
    expect(readMessage({ ATTACHE_PORT: written })).toContain('ATTACHE_PORT');
  });
});

describe('a secret', () => {
  const path = join(folder, 'secret');

  it('may stand in a file, whose last line break does not count', () => {
    writeFileSync(path, 'k2:from a file\n');
    expect(readSettings(table, { ATTACHE_SECRET_FILE: path }).ATTACHE_SECRET).toBe('k2:from a file');
  });

  it('is refused where both are set, or where the file cannot be read, without naming the file [AT-10]', () => {
    expect(readMessage({ ATTACHE_SECRET: 'k1:12345678', ATTACHE_SECRET_FILE: path })).toContain('not both');
    const missing = join(folder, 'missing');
    const message = readMessage({ ATTACHE_SECRET_FILE: missing, ATTACHE_PORT: 'x' });
    expect(message).toMatch(/ATTACHE_PORT must.*\n.*ATTACHE_SECRET_FILE names a file that cannot be read/);
    expect(message).not.toContain(missing);
  });

  it('is the only kind of setting that is read from a file', () => {
    writeFileSync(path, '1');
    expect(readSettings(table, { ATTACHE_PORT_FILE: path }).ATTACHE_PORT).toBe(4100);
  });
});

describe('an unknown ATTACHE_ name', () => {
  const known = Object.keys(table);

  it('is warned about with the nearest known one [AT-10]', () => {
    expect(warnOfUnknown(known, { ATTACHE_PROT: '1', ATTACHE_ORIGIN: 'x' })).toEqual([
      'ATTACHE_PROT is not a setting and has no effect. Did you mean ATTACHE_PORT?',
      'ATTACHE_ORIGIN is not a setting and has no effect. Did you mean ATTACHE_ORIGINS?',
    ]);
  });

  it('is none where it belongs to someone else or names a file', () => {
    expect(
      warnOfUnknown(known, { ATTACHE_PORT: '1', ATTACHE_SECRET_FILE: '/x', PATH: '/bin', attache_prot: '1' }),
    ).toEqual([]);
  });
});
