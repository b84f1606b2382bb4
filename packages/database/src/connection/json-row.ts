import { getTableColumns } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** A row as it is in its table, as `to_jsonb` gives it. */
export type JsonRow = Record<string, unknown>;

/** A row as drizzle reads it, out of the JSON in which a SQL function gave it. */
export function rowFromJson<T extends PgTable>(table: T, json: JsonRow): T['$inferSelect'] {
  const entries = Object.entries(getTableColumns(table)).map(([key, column]) => {
    const value = json[column.name];
    const isTime = column.dataType === 'date' && typeof value === 'string';
    return [key, isTime ? new Date(value) : value];
  });
  return Object.fromEntries(entries);
}
