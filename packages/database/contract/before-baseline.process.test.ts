import { rm } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { expect, it, onTestFinished } from 'vitest';
import { connectPglite } from '../src/connect-pglite.ts';
import { readFunctions } from '../src/migrate/read-functions.ts';
import { SCHEMA_VERSION } from '../src/schema-version.ts';
import { findTenantByName } from '../src/tenancy/tenant-reader.ts';
import { describeEarlierBuild } from './__fixtures__/before-baseline.ts';
import { copyPgliteFolder } from './pglite-folder.contract.ts';

const TENANT = '018f0000-0000-7000-8000-000000000001';

async function givenFolder(prepare: string): Promise<string> {
  const folder = await copyPgliteFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const client = await PGlite.create(folder);
  await client.exec(`insert into tenant (tenant_id, name) values ('${TENANT}', 'kept'); ${prepare}`);
  await client.close();
  return folder;
}

async function query(folder: string, text: string): Promise<unknown[]> {
  const client = await PGlite.create(folder);
  const { rows } = await client.query(text);
  await client.close();
  return rows;
}

const FUNCTIONS = 'select number, checksum from drizzle.__attache_functions';
const MIGRATIONS = 'select count(*)::int as n, max(hash) as hash from drizzle.__drizzle_migrations';

it('a data folder of a build with all migrations before the baseline is taken over, with what is in it', async () => {
  const broken = 'create or replace function attache_schema_version() returns int language sql as $$ select 7 $$;';
  const folder = await givenFolder(`${describeEarlierBuild(44)} ${broken}`);
  for (const _start of ['the first', 'the next']) {
    const db = await connectPglite({ folder });
    expect(await findTenantByName(db, 'kept')).toBe(TENANT);
    await db.close();
  }
  const { number, checksum } = await readFunctions();
  expect(await query(folder, FUNCTIONS)).toEqual([{ number, checksum }]);
  expect(await query(folder, MIGRATIONS)).toEqual([
    { n: SCHEMA_VERSION + 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect(await query(folder, 'select attache_schema_version() as version')).toEqual([{ version: SCHEMA_VERSION }]);
});

it.each([43, 1])('one with %i of them is refused in a sentence, and left as it is', async (count) => {
  const folder = await givenFolder(describeEarlierBuild(count));
  await expect(connectPglite({ folder })).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringContaining(`${folder} is from a build before version 0.1.0 (migration ${count - 1}, `),
  });
  expect(await query(folder, MIGRATIONS)).toMatchObject([{ n: count }]);
  expect(await query(folder, FUNCTIONS)).toEqual([{ number: 21, checksum: 'earlier' }]);
});
