import type {} from '@attache/test-servers';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createAttachment, createPlace } from '../../../contract/__fixtures__/database-fixtures.ts';
import { type Cluster, startCluster } from '../../../contract/__fixtures__/start-cluster.ts';
import { startTransactionPooler } from '../../../contract/__fixtures__/transaction-pooler.ts';
import { connectPostgres } from '../../connect-postgres.ts';
import { migratePostgres } from '../../migrate/migrate-postgres.ts';
import { FUNCTIONS_NUMBER, SCHEMA_VERSION } from '../../schema-version.ts';
import { checkPostgres, refuseOldServer } from './check-postgres.ts';

const { programs, missing } = inject('servers');
const why = missing.find(({ name }) => name === 'postgres')?.why;
const suite = programs.postgres ? describe : describe.skip;

suite(programs.postgres ? 'checkPostgres' : `checkPostgres: ${why}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(programs.postgres ?? '');
  });
  afterAll(() => cluster.stop());

  const refusalOf = (check: Promise<unknown>) =>
    check.then(
      () => 'not refused',
      (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
    );
  const withLogin = (user: string, password = cluster.service.password, database = 'attache') =>
    cluster.server.urlOf({ user, password, database });

  it('accepts the login of a service, and tells version and clock', async () => {
    const found = await checkPostgres({ url: cluster.serviceUrl });
    expect(found).toMatchObject({ isTransactionPooled: false, version: expect.any(Number) });
    expect(Math.floor(found.version / 10_000)).toBeGreaterThanOrEqual(15);
    expect(Math.abs(found.clockSkewMs)).toBeLessThan(5_000);
  });

  it.each<[string, () => string, RegExp]>([
    [
      'a server that is not there',
      () => 'postgres://a:b@127.0.0.1:1/attache',
      /does not answer \(ECONNREFUSED\).*ATTACHE_DATABASE_URL\.$/,
    ],
    [
      'a wrong password',
      () => withLogin('attache_service', 'wrong'),
      /refuses the login attache_service.*ATTACHE_DATABASE_URL\.$/,
    ],
    [
      'a missing database',
      () => withLogin('attache_service', undefined, 'nowhere'),
      /has no database "nowhere".*ATTACHE_DATABASE_URL\.$/,
    ],
    ['a superuser', () => cluster.server.superuserUrl, /is a superuser, so row-level security would not hold/],
  ])('refuses %s in one sentence that names the variable', async (_what, urlOf, expected) => {
    const refusal = await refusalOf(checkPostgres({ url: urlOf() }));
    expect(refusal).toMatch(/^CONFIGURATION_INVALID: [^\n]+$/);
    expect(refusal).toMatch(expected);
  });

  it('refuses a login that row security does not bind [S29]', async () => {
    await cluster.asSuperuser(
      `create role free_login login bypassrls password 'p' in role attache_app, attache_worker`,
    );
    expect(await refusalOf(checkPostgres({ url: withLogin('free_login', 'p') }))).toMatch(
      /free_login .* has BYPASSRLS/,
    );
  });

  it('refuses a login without the roles', async () => {
    await cluster.asSuperuser(`create role bare_login login password 'p' in role attache_app`);
    expect(await refusalOf(checkPostgres({ url: withLogin('bare_login', 'p') }))).toMatch(/bare_login .* lacks a role/);
  });

  it('refuses a database without schema', async () => {
    await cluster.createDatabase('empty');
    const url = withLogin('attache_service', undefined, 'empty');
    expect(await refusalOf(checkPostgres({ url }))).toMatch(
      /"empty" .* has no schema of Attaché: run attache migrate\.$/,
    );
  });

  it('refuses an older schema, and one from the future, which no migration touches', async () => {
    const ownerUrl = await cluster.createDatabase('other');
    await migratePostgres({ url: ownerUrl });
    const url = withLogin('attache_service', undefined, 'other');
    const future =
      'insert into drizzle.__drizzle_migrations (hash, created_at) values (md5(random()::text), 4000000000000)';
    await cluster.asSuperuser(future, 'other');
    const newer = new RegExp(`from a newer release.*schema ${SCHEMA_VERSION + 1}, this one knows ${SCHEMA_VERSION}`);
    expect(await refusalOf(checkPostgres({ url }))).toMatch(newer);
    expect(await refusalOf(migratePostgres({ url: ownerUrl }))).toMatch(newer);
    await cluster.asSuperuser('delete from drizzle.__drizzle_migrations', 'other');
    expect(await refusalOf(checkPostgres({ url }))).toMatch(/older than this release .* run attache migrate\.$/);
  });

  it('refuses functions of an earlier release until they are migrated, and a schema that cannot say which it has', async () => {
    const ownerUrl = await cluster.createDatabase('behind');
    await migratePostgres({ url: ownerUrl });
    const url = withLogin('attache_service', undefined, 'behind');
    const earlier = `update drizzle.__attache_functions set number = ${FUNCTIONS_NUMBER - 1}, checksum = 'earlier'`;
    await cluster.asSuperuser(earlier, 'behind');
    expect(await refusalOf(checkPostgres({ url }))).toBe(
      `CONFIGURATION_INVALID: The SQL functions of the database "behind" are older than this release (${FUNCTIONS_NUMBER - 1}, needed ${FUNCTIONS_NUMBER}): run attache migrate.`,
    );
    await migratePostgres({ url: ownerUrl });
    await checkPostgres({ url });
    await cluster.asSuperuser(
      'drop function attache_functions_number(); delete from drizzle.__drizzle_migrations',
      'behind',
    );
    expect(await refusalOf(checkPostgres({ url }))).toMatch(
      /schema .* older than this release .* run attache migrate\.$/,
    );
  });

  it('refuses a read-only server [W20]', async () => {
    await cluster.asSuperuser('alter role attache_service set default_transaction_read_only = on');
    onTestFinished(async () => {
      await cluster.asSuperuser('alter role attache_service reset default_transaction_read_only');
    });
    expect(await refusalOf(checkPostgres({ url: cluster.serviceUrl }))).toMatch(
      /is read-only: name the primary server/,
    );
  });

  it('refuses an old server', () => {
    expect(() => refuseOldServer({ serverVersion: 140_009 }, 'ATTACHE_DATABASE_URL')).toThrow(
      'Postgres 15 or newer is needed, and the server of ATTACHE_DATABASE_URL is 14: upgrade it, or name another one.',
    );
  });

  describe('behind a pooler in transaction mode', () => {
    it('refuses to start without a direct URL, and to migrate', async () => {
      const pooler = await startTransactionPooler(Number(new URL(cluster.serviceUrl).port));
      onTestFinished(() => pooler.close());
      expect(await refusalOf(checkPostgres({ url: pooler.through(cluster.serviceUrl) }))).toMatch(
        /^CONFIGURATION_INVALID: .*pooler in transaction mode.*ATTACHE_DATABASE_DIRECT_URL/,
      );
      expect(await refusalOf(migratePostgres({ url: pooler.through(cluster.ownerUrl) }))).toMatch(
        /^CONFIGURATION_INVALID: Migrations do not run through a pooler.*ATTACHE_DATABASE_DIRECT_URL/,
      );
    });

    it('serves with one, also more callers than server connections', async () => {
      const pooler = await startTransactionPooler(Number(new URL(cluster.serviceUrl).port));
      onTestFinished(() => pooler.close());
      const url = pooler.through(cluster.serviceUrl);
      const { isTransactionPooled } = await checkPostgres({ url, directUrl: cluster.ownerUrl });
      expect(isTransactionPooled).toBe(true);
      const db = await connectPostgres({ url, poolSize: 8, isPooled: isTransactionPooled });
      try {
        await db.checkReady();
        const place = await createPlace(db);
        const stored = await Promise.all(Array.from({ length: 24 }, () => createAttachment(db, place)));
        const counted = await db.asTenant(place.tenantId, (tx) => tx.query.attachment.findMany());
        expect(counted).toHaveLength(stored.length);
        const others = await db.asTenant((await createPlace(db)).tenantId, (tx) => tx.query.attachment.findMany());
        expect(others).toEqual([]);
      } finally {
        await db.close();
      }
    });
  });
});
