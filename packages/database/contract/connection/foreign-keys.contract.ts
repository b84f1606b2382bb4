import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

/** Foreign keys, as `table (columns)`, whose columns no whole index begins with, in whatever order. */
function listUnindexed(db: Database): Promise<string[]> {
  return db.call(sql`select coalesce(jsonb_agg(found.name order by found.name), '[]'::jsonb) from (
    select c.conrelid::regclass || ' (' || (select string_agg(a.attname, ', ' order by k.place)
        from unnest(c.conkey) with ordinality as k(attnum, place) join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum) || ')' as name
      from pg_constraint c
      where c.contype = 'f' and c.connamespace = 'public'::regnamespace
        and not exists (select 1 from pg_index i where i.indrelid = c.conrelid and i.indisvalid and i.indpred is null
          and c.conkey <@ (i.indkey::int2[])[0:cardinality(c.conkey) - 1])) found`);
}

/** Deleting or following a row reads the rows that refer to it by an index. */
export function describeForeignKeys({ useDb }: DatabaseSuite): void {
  it('each have an index that begins with their columns [BX-27]', async () => {
    expect(await listUnindexed(useDb())).toEqual([]);
  });

  it('and no index is kept of a log’s times alone, which nothing asks for and every row would be written to [BX-27]', async () => {
    const found = sql`select coalesce(jsonb_agg(c.relname), '[]'::jsonb) from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid in ('session_log'::regclass, 'delivery_transition'::regclass) and (i.indkey::int2[])[0:0] = array(
        select a.attnum from pg_attribute a where a.attrelid = i.indrelid and a.attname = 'at')`;
    expect(await useDb().call(found)).toEqual([]);
  });
}
