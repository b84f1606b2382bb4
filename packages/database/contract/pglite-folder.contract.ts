import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectPglite } from '../src/connect-pglite.ts';
import { migrationsFolder } from '../src/migrate/migrations-folder.ts';

/** Hashes everything that decides how a first start leaves its folder. */
async function hashFirstStart(): Promise<string> {
  const migrations = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).toSorted();
  const sources = ['connect-pglite.ts', 'connection/pglite/gate-queries.ts'].map((name) =>
    fileURLToPath(new URL(`../src/${name}`, import.meta.url)),
  );
  const pglite = fileURLToPath(import.meta.resolve('@electric-sql/pglite'));
  const hash = createHash('sha256');
  for (const path of [...migrations.map((name) => join(migrationsFolder, name)), ...sources, pglite]) {
    hash.update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 16);
}

// A first start takes seconds: it is done once for each form of the code, and its folder is copied.
async function startFirst(template: string): Promise<void> {
  const draft = `${template}.${randomUUID()}`;
  const db = await connectPglite({ folder: draft });
  await db.close();
  await rename(draft, template).catch(async (error: NodeJS.ErrnoException) => {
    // Another test process was first.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(draft, { recursive: true, force: true });
  });
}

/** A new folder for `connectPglite` in `parent` that was started once already. Remove it afterwards. */
export async function copyPgliteFolder(parent = tmpdir()): Promise<string> {
  const template = join(tmpdir(), `attache-pglite-${process.getuid?.() ?? 0}-${await hashFirstStart()}`);
  if (!(await stat(template).catch(() => undefined))) await startFirst(template);
  const folder = await mkdtemp(join(parent, 'attache-test-'));
  await cp(template, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return folder;
}
