import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectPglite } from '../../src/connect-pglite.ts';
import { copyPgliteFolder } from '../pglite-folder.contract.ts';

async function listOpen(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const places = [folder, ...found.map((entry) => join(entry.parentPath, entry.name))];
  const looked = places.map(async (place) => ((await stat(place)).mode & 0o077) === 0 || place);
  return (await Promise.all(looked)).filter((each) => each !== true);
}

it('a database in a folder is closed to others: new, and as an earlier release left it [BX-22 S19]', async () => {
  const folder = await copyPgliteFolder();
  expect(await listOpen(folder)).toEqual([]);
  await chmod(folder, 0o755);
  await chmod(join(folder, 'PG_VERSION'), 0o666);
  await chmod(join(folder, 'base'), 0o755);
  const db = await connectPglite({ folder });
  await db.tidy();
  expect(await listOpen(folder)).toEqual([]);
  await db.close();
  await rm(folder, { recursive: true });
});
