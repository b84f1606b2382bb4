import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectPglite } from '../src/connect-pglite.ts';
import { migrationsFolder } from '../src/migrate/migrations-folder.ts';
import { SCHEMA_VERSION } from '../src/schema-version.ts';
import { findTenantByName } from '../src/tenancy/tenant-reader.ts';

type Journal = { entries: { tag: string }[] };

const seed = Number(process.env.ATTACHE_TEST_SEED ?? 0);
/** The first release, the last one before this, and one of those between. */
const versions = [0, 1 + (seed % (SCHEMA_VERSION - 2)), SCHEMA_VERSION - 1];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The migrations that a release of this schema knew. */
async function copyMigrations(version: number): Promise<string> {
  const copy = join(folder, `migrations-${version}`);
  await mkdir(join(copy, 'meta'), { recursive: true });
  const journal: Journal = JSON.parse(await readFile(join(migrationsFolder, 'meta/_journal.json'), 'utf8'));
  const entries = journal.entries.slice(0, version + 1);
  await writeFile(join(copy, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }));
  for (const { tag } of entries) await cp(join(migrationsFolder, `${tag}.sql`), join(copy, `${tag}.sql`));
  return copy;
}

it.each(versions)('a data folder of schema %d opens, and what was in it is there', async (version) => {
  const place = join(folder, `data-${version}`);
  const client = await PGlite.create(place);
  await migrate(drizzle({ client }), { migrationsFolder: await copyMigrations(version) });
  await client.exec("insert into tenant (tenant_id, name) values ('018f0000-0000-7000-8000-000000000001', 'kept')");
  await client.close();
  const db = await connectPglite({ folder: place });
  expect(await findTenantByName(db, 'kept')).toBe('018f0000-0000-7000-8000-000000000001');
  await db.close();
});
