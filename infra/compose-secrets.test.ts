import { expect, it } from 'vitest';
import { composeSecrets, findMissingSecrets } from './compose-secrets.ts';

const textOf = (secrets: Record<string, string>) =>
  Object.entries(secrets)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

it('an .env lacks nothing that was just written', () => {
  expect(findMissingSecrets(textOf(composeSecrets()))).toEqual({});
});

it('an .env of an earlier release lacks the login of operators and the keys of services; a first tenant is not made unasked', () => {
  const { ATTACHE_DATABASE_OPERATOR_PASSWORD: _, ATTACHE_INIT_TENANT: __, ...rest } = composeSecrets();
  const earlier = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('MINIO_')));
  const missing = Object.keys(findMissingSecrets(textOf(earlier)));
  expect(missing).toContain('ATTACHE_DATABASE_OPERATOR_PASSWORD');
  expect(missing.filter((name) => name.startsWith('MINIO_'))).toHaveLength(8);
  expect(missing).toHaveLength(9);
});
