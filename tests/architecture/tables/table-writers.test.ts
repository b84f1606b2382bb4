import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listShippedFiles, repositoryRoot } from '../source/source-files.ts';
import { parseSource, readSourceFile } from '../source/syntax-tree.ts';
import { otherWritingModules, sharedTables } from './table-writers.ts';
import { findTablesWrittenBySql, findWrittenTables, listTables, type Table } from './table-writes.ts';

const SOURCES = 'packages/database/src/';

const files = listShippedFiles(repositoryRoot)
  .filter((path) => path.startsWith(SOURCES))
  .map((path) => readSourceFile(repositoryRoot, path));
const tables = listTables(files);
/** Each table belongs to the aggregate in whose folder it is declared. */
const aggregates = new Map(
  files.flatMap((file) => listTables([file]).map(({ sqlName }) => [sqlName, aggregateOf(nameOf(file.path))])),
);
const scripts = globSync(`${SOURCES}**/*.sql`, { cwd: repositoryRoot });
const writes = [
  ...files.map((file) => ({ module: nameOf(file.path), tables: findWrittenTables(file, tables) })),
  ...scripts.map((path) => ({ module: nameOf(path), tables: findTablesWrittenBySql(readScript(path), tables) })),
].filter((write) => write.tables.length > 0);

describe('writers of the database (R8)', () => {
  it('were found', () => {
    expect(tables.length).toBeGreaterThan(0);
    expect(scripts.length).toBeGreaterThan(0);
    expect(writes.length).toBeGreaterThan(0);
  });

  it('have a name that says so', () => {
    const modules = writes.map(({ module }) => module).filter((module) => !/(?:-writer\.ts|\.sql)$/.test(module));
    expect(modules.sort()).toEqual(otherWritingModules);
  });

  it('are in the aggregate of the table, the listed ones aside, TypeScript and SQL', () => {
    const shared = tables
      .map(({ sqlName }) => ({ table: sqlName, writtenBy: listOutsiders(sqlName) }))
      .filter(({ writtenBy }) => writtenBy.length > 0)
      .sort((a, b) => a.table.localeCompare(b.table));
    expect(shared).toEqual(sharedTables.map(({ table, writtenBy }) => ({ table, writtenBy })));
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

  it('is found in a script, but not in its comments', () => {
    const script = '-- never: delete from audit_log\ncreate function f() as $$ begin update blob set size = 1; end $$;';
    expect(findTablesWrittenBySql(script, known)).toEqual(['blob']);
  });

  it.each(['tx.select().from(blob)', 'keys.delete(blobKey)', 'sql`select 1 from blob for update`'])(
    'is none: %s',
    (code) => {
      expect(findWrittenTables(parseSource('planted-reader.ts', code), known)).toEqual([]);
    },
  );
});

function nameOf(path: string): string {
  return path.slice(SOURCES.length);
}

function aggregateOf(module: string): string {
  return module.split('/')[0] ?? '';
}

function readScript(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8');
}

function listOutsiders(table: string): string[] {
  return writes
    .filter((write) => write.tables.includes(table) && aggregateOf(write.module) !== aggregates.get(table))
    .map(({ module }) => module)
    .sort();
}
