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

it('names a secret that is not set, and not its value', async () => {
  await expect(resolveSecrets({ secretEnv: { ONE: 'env:ABSENT' } }, () => undefined)).rejects.toThrow('env:ABSENT');
});
