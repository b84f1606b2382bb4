import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

type Executor = Pick<PgDatabase<PgQueryResultHKT>, 'execute'>;

// The drivers differ: PGlite answers `{ rows }`, postgres-js an array. Both parse jsonb, so a string is a JSON string already read.
function rowsOf(result: unknown): Record<string, unknown>[] {
  return Array.isArray(result) ? result : (result as { rows: Record<string, unknown>[] }).rows;
}

/** Runs a statement with one column and one row of jsonb. */
export async function runStatement<T>(executor: Executor, statement: SQL): Promise<T> {
  const row = rowsOf(await executor.execute(statement))[0];
  return (row === undefined ? null : Object.values(row)[0]) as T;
}
