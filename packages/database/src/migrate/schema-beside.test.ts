import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../schema-version.ts';
import { migrationsFolder } from './migrations-folder.ts';

// Processes of the release before work on, while a database has the schema of this one: whatever they read is still there, and whatever they write is still enough.

type Column = { type: string; notNull: boolean; default?: unknown };
type Table = {
  columns: Record<string, Column>;
  indexes: Record<string, { isUnique: boolean; columns: { expression: string }[] }>;
  uniqueConstraints: Record<string, unknown>;
  checkConstraints: Record<string, unknown>;
};
type Snapshot = { tables: Record<string, Table> };

const read = async (version: number): Promise<Snapshot> =>
  JSON.parse(await readFile(`${migrationsFolder}/meta/${String(version).padStart(4, '0')}_snapshot.json`, 'utf8'));

/** Lists changes of a column that would break an older process. */
function findStricter(name: string, before: Column | undefined, after: Column | undefined): string[] {
  if (after === undefined) return [`${name} is gone`];
  const isFilled = !after.notNull || after.default !== undefined;
  if (before === undefined) return isFilled ? [] : [`${name} is new, must be given and has no default`];
  const isStricter = after.notNull && !before.notNull;
  return [
    ...(before.type === after.type ? [] : [`${name} was ${before.type} and is ${after.type}`]),
    ...(isStricter && after.default === undefined ? [`${name} must be given now`] : []),
  ];
}

function findBroken(before: Snapshot, after: Snapshot): string[] {
  return Object.entries(before.tables).flatMap(([name, table]) => {
    const present = after.tables[name];
    if (!present) return [`${name} is gone`];
    const columns = new Set([...Object.keys(table.columns), ...Object.keys(present.columns)]);
    const added = Object.entries(present.indexes).filter(([index, { isUnique }]) => isUnique && !table.indexes[index]);
    return [
      ...[...columns].flatMap((column) =>
        findStricter(`${name}.${column}`, table.columns[column], present.columns[column]),
      ),
      ...added.map(([index]) => `${name}: ${index} refuses what was allowed`),
    ];
  });
}

const FORMER = [1, 2, 3].map((steps) => SCHEMA_VERSION - steps).filter((version) => version >= 0);

it.each(FORMER)(
  'leaves processes that know schema %d alone: their statements find and fill every column',
  async (version) => {
    expect(findBroken(await read(version), await read(SCHEMA_VERSION))).toEqual([]);
  },
);

it('notices what would not: a column that is gone, of another type, or that must be given', () => {
  const table = (columns: Record<string, Column>): Snapshot => ({
    tables: { t: { columns, indexes: {}, uniqueConstraints: {}, checkConstraints: {} } },
  });
  const text: Column = { type: 'text', notNull: false };
  const before = table({ a: text, b: text, c: text });
  const after = table({
    a: { ...text, type: 'integer' },
    b: { ...text, notNull: true },
    d: { ...text, notNull: true },
  });
  expect(findBroken(before, after)).toEqual([
    't.a was text and is integer',
    't.b must be given now',
    't.c is gone',
    't.d is new, must be given and has no default',
  ]);
  expect(findBroken(before, { tables: {} })).toEqual(['t is gone']);
});
