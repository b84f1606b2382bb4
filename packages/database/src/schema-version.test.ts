import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { migrationsFolder } from './migrate/migrations-folder.ts';
import { FUNCTIONS_NUMBER, findOutdated, SCHEMA_VERSION } from './schema-version.ts';

it('is the number of the newest migration', async () => {
  const journal = JSON.parse(await readFile(join(migrationsFolder, 'meta', '_journal.json'), 'utf8'));
  expect(SCHEMA_VERSION).toBe(journal.entries.length - 1);
});

it('an older schema is named before its functions, and functions of a later release serve as well', () => {
  const [version, functionsNumber] = [SCHEMA_VERSION, FUNCTIONS_NUMBER];
  const older = version - 1;
  expect(findOutdated({ version: older, functionsNumber: undefined })).toMatchObject({ what: 'schema', found: older });
  expect(findOutdated({ version, functionsNumber: functionsNumber - 1 })).toMatchObject({ what: 'SQL functions' });
  expect(findOutdated({ version, functionsNumber })).toBeUndefined();
  expect(findOutdated({ version: version + 1, functionsNumber: functionsNumber + 1 })).toBeUndefined();
});
