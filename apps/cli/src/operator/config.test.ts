import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isColorWanted, readOperatorConfig } from './config.ts';

const DATABASE = 'postgres://attache_operator:secret@db:5432/attache';
const store = {
  ATTACHE_S3_ENDPOINT: 'http://127.0.0.1:9000',
  ATTACHE_S3_BUCKET: 'attache',
  ATTACHE_S3_ACCESS_KEY: 'key',
  ATTACHE_S3_SECRET_KEY: 'secret',
};

describe('where the operator’s commands act', () => {
  it('is the data folder, unless a database is named', () => {
    expect(readOperatorConfig({})).toEqual({ kind: 'embedded', dataDir: resolve('.attache') });
    expect(readOperatorConfig({ ATTACHE_DATA_DIR: '/data' })).toEqual({ kind: 'embedded', dataDir: '/data' });
  });

  it.each(['ATTACHE_DATABASE_URL', 'DATABASE_URL'])(
    'is the hosted stack where %s is set, its store where that is',
    (name) => {
      const hosted = { kind: 'hosted', databaseUrl: DATABASE };
      expect(readOperatorConfig({ [name]: DATABASE })).toEqual({ ...hosted, store: undefined });
      expect(readOperatorConfig({ [name]: DATABASE, ...store })).toMatchObject({
        ...hosted,
        store: { bucket: 'attache' },
      });
    },
  );

  it('is the server itself where a pooler stands before it', () => {
    const direct = 'postgres://attache_operator:secret@db:6432/attache';
    const read = readOperatorConfig({ ATTACHE_DATABASE_URL: DATABASE, ATTACHE_DATABASE_DIRECT_URL: direct });
    expect(read).toMatchObject({ databaseUrl: direct });
  });

  it('is not a store of which something is missing, nor a database that is no Postgres', () => {
    const { ATTACHE_S3_SECRET_KEY: _, ...incomplete } = store;
    const read = () => readOperatorConfig({ ATTACHE_DATABASE_URL: DATABASE, ...incomplete });
    expect(read).toThrow('ATTACHE_S3_SECRET_KEY');
    expect(() => readOperatorConfig({ ATTACHE_DATABASE_URL: 'mysql://x:hidden@db/y' })).toThrow(
      /ATTACHE_DATABASE_URL(?!.*hidden)/,
    );
  });
});

it('colour is for a terminal, and not where NO_COLOR says so', () => {
  expect(isColorWanted(true, {})).toBe(true);
  expect(isColorWanted(true, { NO_COLOR: '1' })).toBe(false);
  expect(isColorWanted(false, {})).toBe(false);
});
