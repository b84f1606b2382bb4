import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { checkupOfHosted } from './check-hosted.ts';

const settings = {
  ATTACHE_DATABASE_URL: 'postgres://attache@127.0.0.1:5432/attache',
  ATTACHE_NATS_URL: 'nats://127.0.0.1:4222',
  ATTACHE_SIGNING_KEYS: `one:${'s'.repeat(40)}`,
  ...{ ATTACHE_S3_ENDPOINT: 'http://127.0.0.1:9000', ATTACHE_S3_BUCKET: 'attache', ATTACHE_S3_REGION: 'us-east-1' },
  ...{ ATTACHE_S3_ACCESS_KEY: 'somebody', ATTACHE_S3_SECRET_KEY: 'k'.repeat(20) },
};
beforeEach(() => {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const listPorts = () =>
  checkupOfHosted()
    .checks.map(({ name }) => name)
    .filter((name) => name.endsWith(' port'));

it('tries no port that no setting names: most services of the hosted stack have no public one', () => {
  vi.stubEnv('ATTACHE_PORT', '');
  vi.stubEnv('ATTACHE_OPS_PORT', '');
  expect(listPorts()).toEqual([]);
  vi.stubEnv('ATTACHE_OPS_PORT', '4101');
  expect(listPorts()).toEqual(['operations port']);
});
