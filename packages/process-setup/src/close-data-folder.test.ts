import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { closeDataFolder } from './close-data-folder.ts';

it('closes what an earlier release left open, lets agents pass as before, and follows no link [BX-22 S19]', async () => {
  const outer = await mkdtemp(join(tmpdir(), 'attache-close-'));
  const data = join(outer, 'data');
  const modes: Record<string, number> = { database: 0o755, agents: 0o710, blobs: 0o777 };
  for (const [name, mode] of Object.entries(modes)) {
    await mkdir(join(data, name), { recursive: true });
    await chmod(join(data, name), mode);
  }
  await writeFile(join(data, 'profiles.json'), '{}', { mode: 0o644 });
  await mkdir(join(outer, 'elsewhere'));
  await chmod(join(outer, 'elsewhere'), 0o755);
  await symlink(join(outer, 'elsewhere'), join(data, 'link'));
  await chmod(data, 0o755);
  await closeDataFolder(data);
  const modeOf = async (name: string) => (await stat(join(data, name))).mode & 0o7777;
  expect(await Promise.all(['.', 'database', 'agents', 'blobs', 'profiles.json', 'link'].map(modeOf))).toEqual([
    ...[0o700, 0o700, 0o710, 0o700, 0o600, 0o755],
  ]);
  await chmod(data, 0o710);
  await closeDataFolder(data);
  expect(await modeOf('.')).toBe(0o710);
  await rm(outer, { recursive: true });
});
