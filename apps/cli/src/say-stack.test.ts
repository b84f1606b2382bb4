import { expect, it } from 'vitest';
import { describeStack } from './say-stack.ts';

it('names a stack by its folder or its database, and never by its password [S27]', () => {
  expect(describeStack({ dataDir: '/srv/attache' })).toBe('embedded, data folder /srv/attache');
  expect(
    describeStack({ databaseUrl: 'postgres://attache_ingest:hunter2@db.example:5433/attache?sslmode=require' }),
  ).toBe('hosted, database db.example:5433/attache');
});
