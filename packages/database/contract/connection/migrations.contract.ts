import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { findAttachment } from '../../src/attachment/attachment-reader.ts';
import type { Database } from '../../src/database.ts';
import { createAttachment, createPlace } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

/** Tables with their columns, policies with their conditions, functions with their bodies. */
function readCatalog(db: Database): Promise<unknown> {
  return db.call(sql`select jsonb_build_object(
    'columns', (select jsonb_agg(jsonb_build_array(table_name, column_name, data_type, is_nullable, column_default) order by table_name, ordinal_position)
      from information_schema.columns where table_schema = 'public'),
    'policies', (select jsonb_agg(to_jsonb(p) order by tablename, policyname) from pg_policies p),
    'indexes', (select jsonb_agg(indexdef order by indexdef) from pg_indexes where schemaname = 'public'),
    'functions', (select jsonb_agg(jsonb_build_array(proname, prosrc, prosecdef, proowner::regrole, proacl::text) order by proname)
      from pg_proc where pronamespace = 'public'::regnamespace))`);
}

/** Migrating is repeatable. Last of all suites, since it opens the database again. */
export function describeMigrations({ useDb, migrateAgain }: DatabaseSuite): void {
  it('run twice change nothing, and the data stays', async () => {
    const place = await createPlace(useDb());
    const { attachmentId } = await createAttachment(useDb(), place);
    const before = await readCatalog(useDb());
    await migrateAgain();
    expect(await readCatalog(useDb())).toEqual(before);
    const stored = await useDb().asTenant(place.tenantId, (tx) => findAttachment(tx, attachmentId));
    expect(stored?.id).toBe(attachmentId);
  });
}
