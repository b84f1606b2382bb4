import { rm } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { expect, it, onTestFinished } from 'vitest';
import { connectPglite } from '../src/connect-pglite.ts';
import { SCHEMA_VERSION } from '../src/schema-version.ts';
import { copyPgliteFolder } from './pglite-folder.contract.ts';

it('a data folder that a newer release has migrated is refused in one sentence, and left as it is', async () => {
  const folder = await copyPgliteFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const client = await PGlite.create(folder);
  await client.query(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 4000000000000)`);
  await client.close();
  const opened = connectPglite({ folder });
  await expect(opened).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: `The schema of the data folder ${folder} is from a newer release of Attaché (schema ${SCHEMA_VERSION + 1}, this one knows ${SCHEMA_VERSION}): start that release, or restore a backup from before its start.`,
  });
  // Closed again: it can be opened by who understands it.
  const again = await PGlite.create(folder);
  const { rows } = await again.query<{ n: number }>('select count(*)::int as n from drizzle.__drizzle_migrations');
  expect(rows[0]?.n).toBe(SCHEMA_VERSION + 2);
  await again.close();
});
