import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { migrationsFolder } from './migrate/migrations-folder.ts';
import { SCHEMA_VERSION } from './schema-version.ts';

it('is the number of the newest migration', async () => {
  const journal = JSON.parse(await readFile(join(migrationsFolder, 'meta', '_journal.json'), 'utf8'));
  expect(SCHEMA_VERSION).toBe(journal.entries.length - 1);
});
