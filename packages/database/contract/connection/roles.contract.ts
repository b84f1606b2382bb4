import { type SQL, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertOutboxMessage } from '../../src/outbox/outbox-writer.ts';
import { createPlace, fillTenant, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';
import { listTables } from './catalog-tables.contract.ts';
import { INSUFFICIENT_PRIVILEGE, refusalOf } from './refusals.contract.ts';

const controlTables = [
  ...['catalog_contradiction', 'dead_letter', 'inbox', 'outbox', 'profile_probe'],
  ...['replica', 'session_owner', 'sweep'],
];
/** The operator's statements about programs, which the plans of all tenants read. */
const readByAll = ['catalog_contradiction', 'profile_probe'];

/** The rights of each role: read from the database's catalog, then tried. */
export function describeRoles(suite: DatabaseSuite): void {
  let filled: Place;
  beforeAll(async () => {
    filled = await fillTenant(suite.useDb());
  });
  const asApp = (statement: SQL) =>
    refusalOf(suite.useDb().asTenant(filled.tenantId, (tx) => tx.execute(statement).then()));
  const put = (message: object) =>
    sql`select attache_put_message(${JSON.stringify({ id: crypto.randomUUID(), ...message })}::jsonb)`;
  const asWorker = (statement: SQL) => refusalOf(suite.useDb().asWorker((tx) => tx.execute(statement).then()));

  describe('app', () => {
    it('may only read what is said of programs; no other control table is open to it, the outbox neither [S29]', async () => {
      const control = (await listTables(suite.useDb())).filter(({ workerMay }) => workerMay.length > 0);
      expect(control.map(({ name }) => name)).toEqual(controlTables);
      const open = control.filter(({ appMay }) => appMay.length > 0).map(({ name, appMay }) => [name, appMay]);
      expect(open).toEqual([
        ['catalog_contradiction', ['select']],
        ['profile_probe', ['select']],
      ]);
    });

    it.each(controlTables.filter((table) => !readByAll.includes(table)))('cannot read %s [S29]', async (table) => {
      expect(await asApp(sql`select 1 from ${sql.identifier(table)}`)).toBe(INSUFFICIENT_PRIVILEGE);
    });

    it('cannot put a message of another tenant into the outbox [S29]', async () => {
      const db = suite.useDb();
      const other = await createPlace(db);
      expect(await asApp(put({ subject: 'session.ended', data: { tenantId: other.tenantId } }))).toBe(
        INSUFFICIENT_PRIVILEGE,
      );
      expect(await asApp(put({ subject: 'session.ended', data: {} }))).toBe(INSUFFICIENT_PRIVILEGE);
      const data = { tenantId: filled.tenantId, sessionId: filled.sessionId };
      await insertOutboxMessage(db, { id: crypto.randomUUID(), subject: 'session.ended', data });
    });

    it('puts no row into the outbox by itself, and no message that nobody takes [S29]', async () => {
      const { tenantId } = filled;
      const insert = sql`insert into outbox (tenant_id, id, subject, data)
        values (${tenantId}::uuid, gen_random_uuid(), 'session.ended', '{}'::jsonb)`;
      expect(await asApp(insert)).toBe(INSUFFICIENT_PRIVILEGE);
      for (const subject of ['anything', '*', undefined])
        expect(await asApp(put({ subject, data: { tenantId } }))).toBe(INSUFFICIENT_PRIVILEGE);
    });

    it.each(['session_log', 'delivery_transition', 'audit_log'])('can only add to %s [S29]', async (table) => {
      const name = sql.identifier(table);
      expect(await asApp(sql`update ${name} set schema_version = 2`)).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await asApp(sql`delete from ${name}`)).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await asApp(sql`truncate ${name}`)).toBe(INSUFFICIENT_PRIVILEGE);
    });

    it('cannot change the schema or switch row security off [S29]', async () => {
      expect(await asApp(sql`create table public.mine (id int)`)).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await asApp(sql`alter table attachment no force row level security`)).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await asApp(sql`create policy all_of_it on attachment using (true)`)).toBe(INSUFFICIENT_PRIVILEGE);
    });
  });

  describe('worker', () => {
    it('has no privilege on any table with content [S29]', async () => {
      const tables = await listTables(suite.useDb());
      const content = tables.filter(({ name }) => !controlTables.includes(name));
      expect(content.length).toBeGreaterThan(15);
      expect(content.filter(({ workerMay }) => workerMay.length > 0)).toEqual([]);
    });

    it.each(['attachment', 'attachment_name', 'message_text', 'session_log'])('cannot read %s [S29]', async (table) => {
      expect(await asWorker(sql`select 1 from ${sql.identifier(table)}`)).toBe(INSUFFICIENT_PRIVILEGE);
    });
  });

  it('a function with the rights of its owner looks for tables in no schema that its caller may write to [S29]', async () => {
    const definers = await suite.useDb().call<{ name: string; path: string }[]>(
      sql`select jsonb_agg(jsonb_build_object('name', p.proname, 'path', coalesce((
            select substr(s, 13) from unnest(p.proconfig) s where s like 'search_path=%'), '')) order by p.proname)
          from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef`,
    );
    expect(definers.length).toBeGreaterThan(8);
    // A search path that does not name the schema of temporary tables searches it first.
    expect(definers.filter(({ path }) => !/^(public|pg_catalog), pg_temp$/.test(path))).toEqual([]);
  });
}
