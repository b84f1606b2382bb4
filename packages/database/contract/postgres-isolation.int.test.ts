import { randomUUID } from 'node:crypto';
import type {} from '@attache/test-servers';
import { sql } from 'drizzle-orm';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectPostgres } from '../src/connect-postgres.ts';
import { runStatement } from '../src/connection/run-statement.ts';
import type { Database } from '../src/database.ts';
import { createTenant, fillTenant, type Place } from './__fixtures__/database-fixtures.ts';
import { type Cluster, startCluster } from './__fixtures__/start-cluster.ts';
import { listContentTables } from './connection/catalog-tables.contract.ts';
import { INSUFFICIENT_PRIVILEGE, refusalOf } from './connection/refusals.contract.ts';

const { programs, missing } = inject('servers');
const why = missing.find(({ name }) => name === 'postgres')?.why;
const suite = programs.postgres ? describe : describe.skip;

suite(programs.postgres ? 'tenants on Postgres, attacked by other logins' : `isolation: ${why}`, () => {
  let cluster: Cluster;
  let db: Database;
  let owner: Sql;
  let service: Sql;
  let filled: Place;
  let tables: string[];
  beforeAll(async () => {
    cluster = await startCluster(programs.postgres ?? '');
    db = await connectPostgres({ url: cluster.serviceUrl, poolSize: 3 });
    const quiet = { max: 1, onnotice: () => {} };
    owner = postgres(cluster.ownerUrl, quiet);
    service = postgres(cluster.serviceUrl, quiet);
    filled = await fillTenant(db);
    tables = await listContentTables(db);
  });
  afterAll(async () => {
    await Promise.all([db.close(), owner.end(), service.end()]);
    await cluster.stop();
  });

  const countAs = async (client: Sql, table: string) =>
    (await client.unsafe(`select count(*)::int as n from ${table}`))[0]?.n;

  it('the owner of the tables sees no row of any of them: row security is forced [S29]', async () => {
    const seen: Record<string, number> = {};
    for (const table of tables) seen[table] = await countAs(owner, table);
    expect(Object.values(seen).filter((rows) => rows > 0)).toEqual([]);
    // The same tables are not empty for their tenant.
    const own = await db.asTenant(filled.tenantId, (tx) =>
      runStatement<number>(tx, sql`select to_jsonb(count(*)::int) from attachment`),
    );
    expect(own).toBeGreaterThan(0);
  });

  it.each(['', 'with (security_invoker = true)'])(
    'a view of the owner %s shows no row, in a tenant or without one [S29]',
    async (option) => {
      for (const table of tables) {
        const view = `view_${randomUUID().slice(0, 8)}`;
        await owner.unsafe(
          `create view ${view} ${option} as select * from ${table}; grant select on ${view} to attache_app, attache_service`,
        );
        expect({ table, rows: await countAs(owner, view) }).toEqual({ table, rows: 0 });
        const other = await createTenant(db);
        const foreign = await db.asTenant(other, (tx) =>
          runStatement<number>(
            tx,
            sql`select to_jsonb(count(*)::int) from ${sql.identifier(view)} where tenant_id <> ${other}::uuid`,
          ),
        );
        expect({ table, foreign }).toEqual({ table, foreign: 0 });
        await owner.unsafe(`drop view ${view}`);
      }
    },
  );

  it('a service’s login has no right before it takes a role [S29]', async () => {
    for (const table of tables) {
      expect(await refusalOf(service.unsafe(`select 1 from ${table}`))).toBe(INSUFFICIENT_PRIVILEGE);
    }
  });

  it.each(['attache_owner', 'attache_pruner', 'attache_teller', 'migrator', 'postgres', 'attache_projector'])(
    'a service’s login cannot become %s [S29]',
    async (role) => {
      expect(await refusalOf(service.unsafe(`set role ${role}`))).toBe(INSUFFICIENT_PRIVILEGE);
      const inside = refusalOf(db.asTenant(filled.tenantId, (tx) => tx.execute(`set local role ${role}`).then()));
      expect(await inside).toBe(INSUFFICIENT_PRIVILEGE);
    },
  );

  it('a connection is empty-handed after a commit, a rollback, an aborted transaction and an error [S29 A33]', async () => {
    const single = await connectPostgres({ url: cluster.serviceUrl, poolSize: 1 });
    const { tenantId } = filled;
    const uses: (() => Promise<unknown>)[] = [
      () => single.asTenant(tenantId, (tx) => tx.execute(sql`select 1`)),
      () => single.asTenant(tenantId, () => Promise.reject(new Error('changed my mind'))),
      () => single.asTenant(tenantId, (tx) => tx.execute(sql`select 1/0`).then()),
      () => single.call(sql`select to_jsonb(1/0)`),
      () =>
        single.asTenant(
          tenantId,
          async (tx) => void (await tx.execute(sql`select set_config('attache.tenant_id', ${tenantId}, true)`)),
        ),
    ];
    try {
      for (const use of uses) {
        await use().catch(() => {});
        const left = await single.call<string>(
          sql`select to_jsonb(current_user || ':' || coalesce(current_setting('attache.tenant_id', true), ''))`,
        );
        expect(left).toBe('attache_service:');
        expect(await refusalOf(single.call(sql`select to_jsonb(count(*)) from attachment`))).toBe(
          INSUFFICIENT_PRIVILEGE,
        );
      }
    } finally {
      await single.close();
    }
  });
});
