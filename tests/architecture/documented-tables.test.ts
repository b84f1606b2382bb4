import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from './source-files.ts';

const schemaFolder = join(repositoryRoot, 'packages/database/src/schema');
const tables = readdirSync(schemaFolder)
  .flatMap((file) => [...readFileSync(join(schemaFolder, file), 'utf8').matchAll(/pgTable\(\s*'([a-z_]+)'/g)])
  .map(([, name = '']) => name);

describe('the architecture document', () => {
  const document = readFileSync(join(repositoryRoot, 'ARCHITECTURE.md'), 'utf8');
  const rows = document.split('\n').filter((line) => /^\| (content|control) \|/.test(line));
  const listed = rows.flatMap((row) => [...row.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name));

  it('lists every table of the database once, and no other', () => {
    expect(rows).toHaveLength(2);
    expect(listed.toSorted()).toEqual(tables.toSorted());
  });
});
