import { describe, expect, it } from 'vitest';
import { listShippedFiles, repositoryRoot } from './source-files.ts';
import { parseSource, readSourceFile } from './syntax-tree.ts';
import { otherWritingModules, sharedTables } from './table-writers.ts';
import { findWrittenTables, listTables, type Table } from './table-writes.ts';

const SOURCES = 'packages/database/src/';

const files = listShippedFiles(repositoryRoot)
  .filter((path) => path.startsWith(SOURCES))
  .map((path) => readSourceFile(repositoryRoot, path));
const tables = listTables(files);
const writes = files
  .map((file) => ({ module: file.path.slice(SOURCES.length), tables: findWrittenTables(file, tables) }))
  .filter((write) => write.tables.length > 0);

describe('writers of the database (R8)', () => {
  it('were found', () => {
    expect(tables.length).toBeGreaterThan(0);
    expect(writes.length).toBeGreaterThan(0);
  });

  it('have a name that says so', () => {
    const modules = writes.map(({ module }) => module).filter((module) => !module.endsWith('-writer.ts'));
    expect(modules.sort()).toEqual(otherWritingModules);
  });

  it('are one for each table, the listed ones aside', () => {
    const shared = tables
      .map(({ sqlName }) => ({ table: sqlName, modules: listWriters(sqlName) }))
      .filter(({ modules }) => modules.length > 1)
      .sort((a, b) => a.table.localeCompare(b.table));
    expect(shared).toEqual(sharedTables.map(({ table, modules }) => ({ table, modules })));
  });
});

describe('a planted write', () => {
  const known: Table[] = listTables([
    parseSource(
      'schema.ts',
      "export const auditLog = pgTable('audit_log', {}).enableRLS();\nexport const blob = pgTable('blob', {});",
    ),
  ]);

  it.each([
    ['tx.insert(blob).values(row)', 'blob'],
    ['tx.update(auditLog).set(row)', 'audit_log'],
    ['tx.delete(blob)', 'blob'],
    ['tx.execute(sql`DELETE FROM audit_log where true`)', 'audit_log'],
    ['tx.execute(sql`with x as (update blob set size = 1 returning 1) select 1`)', 'blob'],
    ['run(\'insert into "blob" values (1)\')', 'blob'],
  ])('is found: %s', (code, table) => {
    expect(findWrittenTables(parseSource('planted-reader.ts', code), known)).toEqual([table]);
  });

  it.each(['tx.select().from(blob)', 'keys.delete(blobKey)', 'sql`select 1 from blob for update`'])(
    'is none: %s',
    (code) => {
      expect(findWrittenTables(parseSource('planted-reader.ts', code), known)).toEqual([]);
    },
  );
});

function listWriters(table: string): string[] {
  return writes
    .filter((write) => write.tables.includes(table))
    .map(({ module }) => module)
    .sort();
}
