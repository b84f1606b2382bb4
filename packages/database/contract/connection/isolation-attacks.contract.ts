import { randomUUID } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { rolesOfLogin } from '../../src/connection/postgres/login-roles.ts';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database, Tx } from '../../src/database.ts';
import { createPlace, fillTenant, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';
import { listTables } from './catalog-tables.contract.ts';
import { FOREIGN_KEY_VIOLATION, INSUFFICIENT_PRIVILEGE, refusalOf } from './refusals.contract.ts';

/** Look-ups that find a tenant before one is known, and no more: the only ones that see rows of all tenants. */
const definers = [
  'attache_count_living',
  'attache_find_named',
  'attache_find_places',
  'attache_functions_number',
  'attache_is_active',
  'attache_is_alive',
  'attache_is_origin_known',
  'attache_lease_end',
  'attache_live_owner',
  'attache_other_gateways',
  'attache_schema_version',
  'attache_tenant_ids_after',
  'attache_tenant_named',
  'attache_tenant_of_attachment',
  'attache_tenant_of_key',
  'attache_tenants_after',
  'attache_tenants_with_abandoned_blobs',
  'attache_tenants_with_ended_reservations',
];

/** Functions that remove old log entries. */
const pruners = ['attache_prune_audit', 'attache_prune_sessions'];

/** Functions that do one thing each with control tables, for services that enter no role for these. */
const controllers = [
  ...['attache_control_backlog', 'attache_control_claim', 'attache_control_claim_many', 'attache_control_count_dead'],
  ...[
    'attache_control_keep_lease',
    'attache_control_published',
    'attache_control_reconcile',
    'attache_control_renew_lease',
  ],
  ...['attache_control_return', 'attache_control_take_lease'],
];

/** The one that writes the outbox. */
const tellers = ['attache_put_message'];

/** The one that counts rows for plans: only the owner of the tables may, whom `attache migrate` logs in as. */
const counters = ['attache_analyze_grown'];

function ownerOf(name: string, tableOwner: string): string {
  if (counters.includes(name)) return tableOwner;
  if (pruners.includes(name)) return 'attache_pruner';
  if (tellers.includes(name)) return 'attache_teller';
  return controllers.includes(name) ? 'attache_control' : 'attache_owner';
}

type CatalogFunction = {
  name: string;
  isDefiner: boolean;
  owner: string;
  settings: string[];
  isPublic: boolean;
};

/** Hostile statements inside a tenant's transaction, and how little they learn. */
export function describeIsolationAttacks(suite: DatabaseSuite): void {
  let filled: Place;
  let intruder: Place;
  beforeAll(async () => {
    filled = await fillTenant(suite.useDb());
    intruder = await createPlace(suite.useDb());
  });
  const asIntruder = <T>(work: (tx: Tx) => Promise<T>) => suite.useDb().asTenant(intruder.tenantId, work);
  const attempt = (statement: SQL) => refusalOf(asIntruder((tx) => tx.execute(statement).then()));

  describe('functions', () => describeFunctions(suite));
  describe('oracles', () => describeOracles(suite, () => ({ filled, intruder })));

  it('cannot make functions, tables or temporary tables, which would stand before the real ones [S29]', async () => {
    expect(await attempt(sql`create table mine (id int)`)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await attempt(sql`create temporary table api_key (id uuid)`)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await attempt(sql`create function f() returns int language sql as 'select 1'`)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await attempt(sql`create schema mine`)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('cannot read how many things others made from a sequence [S29]', async () => {
    const open = await suite.useDb().call(sql`select coalesce(jsonb_agg(c.relname), '[]'::jsonb) from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('public', 'drizzle')
      where c.relkind = 'S' and (has_sequence_privilege('attache_app', c.oid, 'select') or has_sequence_privilege('attache_worker', c.oid, 'select'))`);
    expect(open).toEqual([]);
    const inContent = await suite
      .useDb()
      .call(sql`select count(*) from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace`);
    expect(Number(inContent)).toBe(0);
  });

  it('cannot change the role of one’s statements by a rollback to a savepoint, or a caught error [A33]', async () => {
    const whoAmI = sql`select to_jsonb(current_user || ' ' || current_setting('attache.tenant_id'))`;
    const seen = await asIntruder(async (tx) => {
      const before = await runStatement<string>(tx, whoAmI);
      await tx.execute(sql`savepoint one`);
      await tx.execute(sql`select attache_enter_worker()`);
      await tx.execute(sql`rollback to savepoint one`);
      const after = await runStatement<string>(tx, whoAmI);
      await tx.execute(
        sql`do $$ begin perform attache_enter_worker(); raise exception 'x'; exception when others then null; end $$`,
      );
      return [before, after, await runStatement<string>(tx, whoAmI)];
    });
    expect(new Set(seen)).toEqual(new Set([`attache_app ${intruder.tenantId}`]));
  });

  it('is the same role after a look-up with other rights, and sees no more [A33 S29]', async () => {
    const seen = await asIntruder(async (tx) => {
      await tx.execute(sql`select attache_tenant_of_attachment(${randomUUID()}::uuid)`);
      return {
        role: await runStatement<string>(tx, sql`select to_jsonb(current_user)`),
        attachments: await runStatement<number>(tx, sql`select to_jsonb(count(*)::int) from attachment`),
        keys: await runStatement<number>(tx, sql`select to_jsonb(count(*)::int) from api_key`),
      };
    });
    expect(seen).toEqual({ role: 'attache_app', attachments: 0, keys: 0 });
  });
}

function describeFunctions({ useDb }: DatabaseSuite): void {
  const readFunctions = (db: Database) =>
    db.call<
      CatalogFunction[]
    >(sql`select jsonb_agg(jsonb_build_object('name', p.proname, 'isDefiner', p.prosecdef, 'owner', p.proowner::regrole::text,
      'settings', coalesce(to_jsonb(p.proconfig), '[]'::jsonb),
      'isPublic', exists (select 1 from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)) order by p.proname)
      from pg_proc p where p.pronamespace = 'public'::regnamespace`);

  it('that run with the rights of their owner are few, belong to a role that no service logs in as, and find only our tables [S29 A33]', async () => {
    const owned = (await readFunctions(useDb())).filter(({ isDefiner }) => isDefiner);
    expect(owned.map(({ name }) => name)).toEqual(
      [...definers, ...pruners, ...controllers, ...tellers, ...counters].toSorted(),
    );
    const tableOwner = await useDb().call<string>(
      sql`select to_jsonb(relowner::regrole::text) from pg_class where oid = 'session'::regclass`,
    );
    expect(Object.keys(rolesOfLogin)).not.toContain(tableOwner);
    for (const { name, owner, settings, isPublic } of owned) {
      const path = settings.find((setting) => setting.startsWith('search_path='));
      const role = ownerOf(name, tableOwner);
      expect({ name, owner, isPublic }).toEqual({ name, owner: role, isPublic: false });
      expect(path, name).toMatch(/^search_path=(public|pg_catalog), pg_temp$/);
    }
  });

  it('that the role of the look-ups owns are those alone, and it may log in, make or change nothing [S29]', async () => {
    const functions = await readFunctions(useDb());
    expect(functions.filter(({ owner }) => owner === 'attache_owner').map(({ name }) => name)).toEqual(definers);
    const rights =
      await useDb().call(sql`select jsonb_build_object('mayLogIn', r.rolcanlogin, 'isSuperuser', r.rolsuper, 'bypasses', r.rolbypassrls,
      'mayCreate', has_schema_privilege('attache_owner', 'public', 'create')) from pg_roles r where r.rolname = 'attache_owner'`);
    expect(rights).toEqual({ mayLogIn: false, isSuperuser: false, bypasses: false, mayCreate: false });
    const changeable = (await listTables(useDb())).map(({ name }) => name);
    const writable = await useDb().call(sql`select coalesce(jsonb_agg(c.relname), '[]'::jsonb) from pg_class c
      where c.relname = any(${`{${changeable.join(',')}}`}::text[]) and c.relnamespace = 'public'::regnamespace
        and has_table_privilege('attache_owner', c.oid, 'insert, update, delete, truncate')`);
    expect(writable).toEqual([]);
  });

  it('that the role which writes the outbox owns is one, and it may add rows of the tenant there and nothing else [S29]', async () => {
    const functions = await readFunctions(useDb());
    expect(functions.filter(({ owner }) => owner === 'attache_teller').map(({ name }) => name)).toEqual(tellers);
    const rights = await useDb().call(
      sql`select jsonb_build_object('mayLogIn', r.rolcanlogin, 'isSuperuser', r.rolsuper, 'bypasses', r.rolbypassrls,
      'mayCreate', has_schema_privilege('attache_teller', 'public', 'create'),
      'may', (select jsonb_agg(c.relname || ' ' || p.kind order by c.relname) from pg_class c, unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as p(kind)
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege('attache_teller', c.oid, p.kind)),
      'policies', (select jsonb_agg(policyname || ': ' || with_check) from pg_policies where 'attache_teller' = any(roles)))
      from pg_roles r where r.rolname = 'attache_teller'`,
    );
    expect(rights).toEqual({
      ...{ mayLogIn: false, isSuperuser: false, bypasses: false, mayCreate: false },
      ...{
        may: ['outbox insert'],
        policies: ['teller_insert: (tenant_id = ( SELECT attache_tenant_id() AS attache_tenant_id))'],
      },
    });
  });

  it('that the role which prunes owns are two, and all that it may change are logs, and when a session was pruned [S29]', async () => {
    const functions = await readFunctions(useDb());
    expect(functions.filter(({ owner }) => owner === 'attache_pruner').map(({ name }) => name)).toEqual(pruners);
    const rights =
      await useDb().call(sql`select jsonb_build_object('mayLogIn', r.rolcanlogin, 'isSuperuser', r.rolsuper, 'bypasses', r.rolbypassrls,
      'mayCreate', has_schema_privilege('attache_pruner', 'public', 'create'),
      'mayDelete', (select jsonb_agg(c.relname order by c.relname) from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and has_table_privilege('attache_pruner', c.oid, 'delete')),
      'mayWrite', (select jsonb_agg(c.relname || '.' || a.attname) from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_column_privilege('attache_pruner', c.oid, a.attnum, 'insert, update')))
      from pg_roles r where r.rolname = 'attache_pruner'`);
    expect(rights).toEqual({
      ...{ mayLogIn: false, isSuperuser: false, bypasses: false, mayCreate: false },
      mayDelete: ['audit_log', 'delivery_transition', 'session_log'],
      mayWrite: ['session.pruned_at'],
    });
  });
}

type Places = () => { filled: Place; intruder: Place };

function describeOracles({ useDb }: DatabaseSuite, places: Places): void {
  /** Code and text of a refusal, without the ids that were sent. */
  const refusedWith = async (statement: (id: string) => SQL, id: string) => {
    const { intruder } = places();
    const error = await useDb()
      .asTenant(intruder.tenantId, (tx) => tx.execute(statement(id)).then())
      .then(
        () => undefined,
        (refused: { cause?: { code: string; message: string; detail?: string } }) => refused.cause,
      );
    return { code: error?.code, message: error?.message, detail: error?.detail?.replaceAll(id, '<id>') };
  };
  const readId = async (table: string) => {
    const { filled } = places();
    return useDb().asTenant(filled.tenantId, (tx) =>
      runStatement<string>(tx, sql`select to_jsonb(id) from ${sql.identifier(table)} limit 1`),
    );
  };

  it.each<[string, (tenantId: string, sessionId: string) => (id: string) => SQL]>([
    [
      'blob',
      (tenantId, sessionId) => (id) =>
        sql`insert into attachment (tenant_id, id, session_id, blob_id, mime_type, kind, size_bytes, sha256, origin)
        values (${tenantId}::uuid, gen_random_uuid(), ${sessionId}::uuid, ${id}::uuid, 'image/png', 'image', 1, 'x', 'upload')`,
    ],
    [
      'session',
      (tenantId) => (id) =>
        sql`insert into message (tenant_id, id, session_id, sender) values (${tenantId}::uuid, gen_random_uuid(), ${id}::uuid, '{}')`,
    ],
    [
      'attachment',
      (tenantId) => (id) =>
        sql`insert into attachment_name (tenant_id, attachment_id, session_id, name, folded_name) values (${tenantId}::uuid, ${id}::uuid, ${id}::uuid, 'x', 'x')`,
    ],
  ])('answer alike whether a %s of another tenant exists or not [S29 S33 S1]', async (table, insertInto) => {
    const { intruder } = places();
    const statement = insertInto(intruder.tenantId, intruder.sessionId);
    const foreign = await refusedWith(statement, await readId(table));
    expect(foreign.code).toBe(FOREIGN_KEY_VIOLATION);
    expect(await refusedWith(statement, randomUUID())).toEqual(foreign);
  });

  it('let a tenant have ids that another one has: a key tells nothing [S29]', async () => {
    const { intruder } = places();
    const keyId = await readId('api_key');
    const insert = (id: string) =>
      sql`insert into api_key (tenant_id, id, name, secret_hash, scopes) values (${intruder.tenantId}::uuid, ${id}::uuid, 'x', 'x', '{}')`;
    const outcomes = [await refusedWith(insert, keyId), await refusedWith(insert, randomUUID())];
    expect(outcomes.map(({ code }) => code)).toEqual([undefined, undefined]);
    await useDb().asTenant(intruder.tenantId, (tx) =>
      tx.execute(sql`delete from api_key where secret_hash = 'x'`).then(),
    );
  });
}
