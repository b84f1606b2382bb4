import { readFile } from 'node:fs/promises';
import type {} from '@attache/test-servers';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { describeEarlierBuild } from '../../contract/__fixtures__/before-baseline.ts';
import { type Cluster, startCluster } from '../../contract/__fixtures__/start-cluster.ts';
import { checkPostgres } from '../connection/postgres/check-postgres.ts';
import { rolesOfLogin } from '../connection/postgres/login-roles.ts';
import { SCHEMA_VERSION } from '../schema-version.ts';
import { MIGRATION_LOCK, migratePostgres } from './migrate-postgres.ts';

const { programs, newestPostgres, missing } = inject('servers');
const why = missing.find(({ name }) => name === 'postgres')?.why;
// The roles of the newest know ADMIN, INHERIT and SET apart, as all servers from 16 on.
const servers = { 'the installed Postgres': programs.postgres, 'Postgres from npm': newestPostgres };

for (const [name, found] of Object.entries(servers)) {
  if (found) describe(`migratePostgres on ${name}`, () => describeMigrating(found));
  else describe.skip(`migratePostgres on ${name}: ${why ?? 'it was not found'}`, () => it('migrates', () => {}));
}

function describeMigrating(programs: string): void {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(programs);
  });
  afterAll(() => cluster.stop());

  const countApplied = async (database: string) =>
    (await cluster.asSuperuser('select count(*)::int as n from drizzle.__drizzle_migrations', database))[0]?.n;

  it('migrates once when many start together, in several databases of one server', async () => {
    const urls = [await cluster.createDatabase('first'), await cluster.createDatabase('second')];
    await Promise.all([...urls, ...urls, ...urls].map((url) => migratePostgres({ url })));
    expect([await countApplied('first'), await countApplied('second')]).toEqual([
      SCHEMA_VERSION + 1,
      SCHEMA_VERSION + 1,
    ]);
  });

  it('makes the logins of the services and of operators, bound by row security and by timeouts [S29]', async () => {
    const logins =
      await cluster.asSuperuser(`select rolname, rolcanlogin, rolinherit, rolsuper, rolbypassrls, rolcreaterole, rolconfig::text as settings,
      array(select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid order by 1)::text as roles
      from pg_roles r where rolname in ('attache_ingest', 'attache_projector', 'attache_gateway', 'attache_operator') order by rolname`);
    expect(logins.map(({ rolname }) => rolname)).toEqual(Object.keys(rolesOfLogin).toSorted());
    for (const login of logins) {
      expect(login).toMatchObject({
        ...{ rolcanlogin: true, rolinherit: false, rolsuper: false, rolbypassrls: false, rolcreaterole: false },
        settings:
          '{statement_timeout=15s,lock_timeout=5s,idle_in_transaction_session_timeout=30s,random_page_cost=1.1}',
        roles: `{${rolesOfLogin[login.rolname as keyof typeof rolesOfLogin].join()}}`,
      });
    }
  });

  it('sets the passwords that it is given, and leaves the others', async () => {
    const urlOf = (user: string, password: string) => cluster.server.urlOf({ user, password, database: 'attache' });
    await migratePostgres({ url: cluster.ownerUrl, servicePasswords: { projector: 'one', gateway: "it's" } });
    await migratePostgres({ url: cluster.ownerUrl, servicePasswords: { projector: 'two' } });
    await checkPostgres({ url: urlOf('attache_projector', 'two') });
    await checkPostgres({ url: urlOf('attache_gateway', "it's") });
    await checkPostgres({ url: cluster.serviceUrl });
    await expect(checkPostgres({ url: urlOf('attache_projector', 'one') })).rejects.toThrow('refuses the login');
  });

  it('leaves nothing behind when it fails half-way, and goes through afterwards', async () => {
    const url = await cluster.createDatabase('broken');
    await cluster.asSuperuser(
      'create function public.attache_lock_usage() returns int language sql as $$ select 1 $$',
      'broken',
    );
    await expect(migratePostgres({ url })).rejects.toThrow();
    const tables = `select count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`;
    expect((await cluster.asSuperuser(tables, 'broken'))[0]?.n).toBe(0);
    await cluster.asSuperuser('drop function public.attache_lock_usage()', 'broken');
    await migratePostgres({ url });
    expect(await countApplied('broken')).toBe(SCHEMA_VERSION + 1);
  });

  it('takes over a database with all migrations before the baseline, and refuses one with some of them', async () => {
    const url = await cluster.createDatabase('earlier');
    await migratePostgres({ url });
    const catalogs = await readFile(new URL('../../contract/__fixtures__/catalogs.sql', import.meta.url), 'utf8');
    const made = await cluster.asSuperuser(catalogs, 'earlier');
    expect(made.length).toBeGreaterThan(900);
    await cluster.asSuperuser(describeEarlierBuild(43), 'earlier');
    await expect(migratePostgres({ url })).rejects.toThrow(
      /^The schema of the database is from a build before version 0\.1\.0 \(migration 42,/,
    );
    await cluster.asSuperuser(describeEarlierBuild(44), 'earlier');
    const serviceUrl = new URL(cluster.serviceUrl);
    serviceUrl.pathname = '/earlier';
    await expect(checkPostgres({ url: serviceUrl.href })).rejects.toThrow('can be taken over: run attache migrate');
    await migratePostgres({ url });
    expect(await countApplied('earlier')).toBe(SCHEMA_VERSION + 1);
    expect(await cluster.asSuperuser(catalogs, 'earlier')).toEqual(made);
  });

  it('is not ended by timeouts of its login while it waits for another migration', async () => {
    const url = await cluster.createDatabase('slow');
    await cluster.asSuperuser(
      `alter role migrator set statement_timeout = '500ms'; alter role migrator set lock_timeout = '500ms'`,
    );
    try {
      const another = cluster.asSuperuser(`select pg_advisory_lock(${MIGRATION_LOCK}), pg_sleep(1.5)`, 'slow');
      const held = `select 1 from pg_locks where locktype = 'advisory' and objid = ${MIGRATION_LOCK}`;
      await vi.waitUntil(async () => (await cluster.asSuperuser(held)).length > 0, { timeout: 60_000, interval: 20 });
      await Promise.all([migratePostgres({ url }), another]);
    } finally {
      await cluster.asSuperuser('alter role migrator reset statement_timeout; alter role migrator reset lock_timeout');
    }
    expect(await countApplied('slow')).toBe(SCHEMA_VERSION + 1);
  });

  it('says in one sentence what its login lacks', async () => {
    await cluster.asSuperuser(`create role weak_owner login password 'p'`);
    await cluster.asSuperuser('create database weak owner weak_owner', 'postgres');
    const url = cluster.server.urlOf({ user: 'weak_owner', password: 'p', database: 'weak' });
    await expect(migratePostgres({ url })).rejects.toThrow(
      /^The login weak_owner may not do what migrations need \([^\n]+\): use one that owns the database and has CREATEROLE/,
    );
  });

  it('keeps no membership that shows the rows of every tenant [S29]', async () => {
    const held = await cluster.asSuperuser(`select has.member::regrole::text as member from pg_auth_members has
      join pg_roles r on r.oid = has.member where has.roleid in ('attache_owner'::regrole, 'attache_pruner'::regrole, 'attache_control'::regrole) and r.rolname = 'migrator' and pg_has_role('migrator', has.roleid, 'usage')`);
    expect(held).toEqual([]);
  });
}
