import { rm } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { expect, it, onTestFinished } from 'vitest';
import { connectPglite } from '../src/connect-pglite.ts';
import { readFunctions } from '../src/migrate/read-functions.ts';
import { FUNCTIONS_NUMBER } from '../src/schema-version.ts';
import { copyPgliteFolder } from './pglite-folder.contract.ts';

const readRelease = async (client: PGlite) =>
  (await client.query('select number, checksum from drizzle.__attache_functions')).rows;
const BODY = "select prosrc from pg_proc where proname = 'attache_is_tenant_active'";
const readBody = async (client: PGlite) => (await client.query<{ prosrc: string }>(BODY)).rows[0]?.prosrc;

async function openCopy(prepare: string): Promise<PGlite> {
  const folder = await copyPgliteFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const client = await PGlite.create(folder);
  await client.exec(prepare);
  await client.close();
  const db = await connectPglite({ folder });
  await db.close();
  const opened = await PGlite.create(folder);
  onTestFinished(() => opened.close());
  return opened;
}

const otherBody = `create or replace function attache_is_tenant_active(p_tenant uuid) returns jsonb language plpgsql as $$ begin return 'null'::jsonb; end $$;`;

it('the functions of an earlier release are replaced', async () => {
  const client = await openCopy(`${otherBody} update drizzle.__attache_functions set number = 0, checksum = 'earlier'`);
  const { number, checksum } = await readFunctions();
  expect(await readRelease(client)).toEqual([{ number, checksum }]);
  expect(await readBody(client)).toContain('suspended_at is null');
});

it('the functions of a later release stay', async () => {
  const later = FUNCTIONS_NUMBER + 1;
  const client = await openCopy(
    `${otherBody} update drizzle.__attache_functions set number = ${later}, checksum = 'later'`,
  );
  expect(await readRelease(client)).toEqual([{ number: later, checksum: 'later' }]);
  expect(await readBody(client)).not.toContain('suspended_at is null');
});
