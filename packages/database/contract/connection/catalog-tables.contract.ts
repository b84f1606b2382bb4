import { sql } from 'drizzle-orm';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database } from '../../src/database.ts';

export type CatalogTable = {
  name: string;
  hasRowSecurity: boolean;
  isForced: boolean;
  policies: number;
  hasTenant: boolean;
  /** Privileges of a role that the schema grants: `select`, `insert`, `update`, `delete`. */
  appMay: string[];
  workerMay: string[];
};

/** Every table of the schema, by enumeration of the catalog. */
export async function listTables(db: Database): Promise<CatalogTable[]> {
  const privileges = (role: string) => sql`(select coalesce(jsonb_agg(p order by p), '[]'::jsonb)
    from unnest(array['delete', 'insert', 'select', 'update']) p where has_table_privilege(${role}, c.oid, p))`;
  return db.call(sql`select jsonb_agg(jsonb_build_object(
      'name', c.relname, 'hasRowSecurity', c.relrowsecurity, 'isForced', c.relforcerowsecurity,
      'policies', (select count(*) from pg_policy p where p.polrelid = c.oid),
      'hasTenant', exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped),
      'appMay', ${privileges('attache_app')}, 'workerMay', ${privileges('attache_worker')}) order by c.relname)
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`);
}

/** Tables that hold rows of tenants and that services read. */
export async function listContentTables(db: Database): Promise<string[]> {
  const tables = await listTables(db);
  return tables.filter((table) => table.hasTenant && table.appMay.includes('select')).map(({ name }) => name);
}

/** Number of rows of a table that a transaction sees. */
export async function countRows(tx: Parameters<typeof runStatement>[0], table: string): Promise<number> {
  return runStatement(tx, sql`select to_jsonb(count(*)) from ${sql.identifier(table)}`);
}
