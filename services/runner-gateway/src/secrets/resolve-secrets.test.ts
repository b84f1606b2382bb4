import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resolveSecrets } from './resolve-secrets.ts';

it('reads secrets from the environment and from files at spawn', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  const file = join(folder, 'key');
  await writeFile(file, 'from a file\n');
  const secretEnv = { ONE: 'env:PLATFORM_KEY', TWO: `file:${file}` };
  const resolved = await resolveSecrets({ secretEnv }, (name) =>
    name === 'PLATFORM_KEY' ? 'from outside' : undefined,
  );
  expect(resolved).toEqual({ ONE: 'from outside', TWO: 'from a file' });
  await rm(folder, { recursive: true });
});

it.each([
  ['is not set', 'env:ABSENT', 'secretEnv.ONE is not set.'],
  ['is empty', 'env:EMPTY', 'secretEnv.ONE is empty.'],
  ['cannot be read', 'file:/nowhere/key', 'secretEnv.ONE cannot be read.'],
])('names the place of a secret that %s, and neither its value nor a path [DL-57]', async (_, reference, message) => {
  const read = (name: string) => (name === 'EMPTY' ? '' : undefined);
  await expect(resolveSecrets({ secretEnv: { ONE: reference } }, read)).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message,
  });
});
