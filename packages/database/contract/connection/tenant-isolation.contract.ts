import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, it } from 'vitest';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database, Tx } from '../../src/database.ts';
import { insertAgent } from '../../src/session/agent-writer.ts';
import { createTenant, fillTenant, type Place, target } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';
import { countRows, listContentTables, listTables } from './catalog-tables.contract.ts';
import { FOREIGN_KEY_VIOLATION, INSUFFICIENT_PRIVILEGE, refusalOf } from './refusals.contract.ts';

/** Runs `work` as the app role without any tenant. */
function asNobody<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.asWorker(async (tx) => {
    await tx.execute(sql`select set_config('role', 'attache_app', true)`);
    return work(tx);
  });
}

/** Row security keeps tenants apart, table by table as the catalog has them. */
export function describeTenantIsolation({ useDb }: DatabaseSuite): void {
  let filled: Place;
  let other: string;
  beforeAll(async () => {
    filled = await fillTenant(useDb());
    other = await createTenant(useDb());
  });

  it('have row security, enabled, forced and with a policy, on every table [S29]', async () => {
    const tables = await listTables(useDb());
    expect(tables.length).toBeGreaterThan(20);
    const open = tables.filter((table) => !table.hasRowSecurity || !table.isForced || table.policies === 0);
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it('have policies that compare with the tenant in a subquery, so that a plan fits all tenants [BX-27]', async () => {
    const bare = sql`select to_jsonb(array(select tablename::text from pg_policies where schemaname = current_schema() and qual ~ '= attache_tenant_id\\(\\)'))`;
    expect(await useDb().call(bare)).toEqual([]);
  });

  it('see all of their own rows and none of another tenant, in every content table [S29]', async () => {
    const db = useDb();
    for (const table of await listContentTables(db)) {
      const own = await db.asTenant(filled.tenantId, (tx) => countRows(tx, table));
      const foreign = await db.asTenant(other, async (tx) =>
        runStatement<number>(
          tx,
          sql`select to_jsonb(count(*)) from ${sql.identifier(table)} where tenant_id <> ${other}::uuid`,
        ),
      );
      expect({ table, hasOwn: own > 0, foreign }).toEqual({ table, hasOwn: true, foreign: 0 });
    }
  });

  it('are needed: without one, no content table shows a row [S29]', async () => {
    const db = useDb();
    for (const table of await listContentTables(db)) {
      expect({ table, rows: await asNobody(db, (tx) => countRows(tx, table)) }).toEqual({ table, rows: 0 });
    }
  });

  it('cannot write rows of another tenant, in any content table [S29]', async () => {
    const db = useDb();
    for (const table of await listContentTables(db)) {
      const name = sql.identifier(table);
      const row = await db.asTenant(filled.tenantId, (tx) =>
        runStatement<Record<string, unknown>>(tx, sql`select to_jsonb(t) from ${name} t limit 1`),
      );
      const insert = sql`insert into ${name} select * from jsonb_populate_record(null::${name}, ${JSON.stringify(row)}::jsonb)`;
      const refusal = await refusalOf(db.asTenant(other, (tx) => tx.execute(insert)));
      expect({ table, refusal }).toEqual({ table, refusal: INSUFFICIENT_PRIVILEGE });
    }
  });

  it('cannot give their rows away [S29]', async () => {
    const db = useDb();
    for (const table of await listContentTables(db)) {
      const give = sql`update ${sql.identifier(table)} set tenant_id = ${other}::uuid`;
      const refusal = await refusalOf(db.asTenant(filled.tenantId, (tx) => tx.execute(give)));
      expect({ table, refusal }).toEqual({ table, refusal: INSUFFICIENT_PRIVILEGE });
    }
  });

  it('cannot refer to a row of another tenant: every foreign key holds the tenant [S29]', async () => {
    const db = useDb();
    const agent = { id: randomUUID(), name: 'stranger', role: 'lead', target, createdAt: new Date() } as const;
    const refusal = await refusalOf(
      db.asTenant(other, (tx) => insertAgent(tx, { ...agent, tenantId: other, sessionId: filled.sessionId })),
    );
    expect(refusal).toBe(FOREIGN_KEY_VIOLATION);
    expect(await listForeignKeysWithoutTenant(db)).toEqual([]);
  });

  it('learn nothing from a unique key: each starts with the tenant, but for the name of a tenant [S29]', async () => {
    expect(await listUniqueKeysWithoutTenant(useDb())).toEqual([
      'catalog_contradiction_pk',
      'profile_probe_profile_program_version_pk',
      'replica_pkey',
      'sweep_pkey',
      'tenant_name_unique',
    ]);
  });
}

async function listForeignKeysWithoutTenant(db: Database): Promise<string[]> {
  return db.call(sql`select coalesce(jsonb_agg(k.conname order by k.conname), '[]'::jsonb) from pg_constraint k
    where k.connamespace = 'public'::regnamespace and k.contype = 'f' and exists (
      select 1 from pg_attribute a where a.attname <> 'tenant_id'
        and (a.attrelid, a.attnum) in ((k.conrelid, k.conkey[1]), (k.confrelid, k.confkey[1])))`);
}

async function listUniqueKeysWithoutTenant(db: Database): Promise<string[]> {
  return db.call(sql`select coalesce(jsonb_agg(i.indexrelid::regclass::text order by i.indexrelid::regclass::text), '[]'::jsonb)
    from pg_index i join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indisunique and a.attname <> 'tenant_id'`);
}
