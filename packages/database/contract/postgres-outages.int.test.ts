import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { isFault } from '@attache/contracts';
import type {} from '@attache/test-servers';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { connectPostgres, type PostgresOptions } from '../src/connect-postgres.ts';
import { runStatement } from '../src/connection/run-statement.ts';
import type { Database } from '../src/database.ts';
import { FUNCTIONS_NUMBER } from '../src/schema-version.ts';
import { createAttachment, createPlace } from './__fixtures__/database-fixtures.ts';
import { type Cluster, startCluster } from './__fixtures__/start-cluster.ts';

const { programs, missing } = inject('servers');
const why = missing.find(({ name }) => name === 'postgres')?.why;
const suite = programs.postgres ? describe : describe.skip;

suite(programs.postgres ? 'a pool of connections to Postgres' : `outages: ${why}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(programs.postgres ?? '');
  });
  afterAll(() => cluster.stop());

  async function connect(given: Partial<PostgresOptions> = {}): Promise<Database> {
    const db = await connectPostgres({ url: cluster.serviceUrl, poolSize: 2, ...given });
    onTestFinished(() => db.close());
    return db;
  }
  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) =>
        isFault(error) ? { code: error.code, retryable: error.retryable, message: error.message } : error,
    );
  const sleep = (db: Database, seconds: number) => db.call(sql`select to_jsonb(pg_sleep(${seconds})::text)`);
  const unavailable = { code: 'DATABASE_UNAVAILABLE', retryable: true };

  it('serves again by itself after the server was killed, and loses nothing that it acknowledged [W15]', async () => {
    const db = await connect({ poolSize: 4 });
    const place = await createPlace(db);
    const acknowledged: string[] = [];
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        await createAttachment(db, place)
          .then(({ attachmentId }) => acknowledged.push(attachmentId))
          .catch((error: unknown) => expect(isFault(error, 'DATABASE_UNAVAILABLE')).toBe(true));
      }
    };
    const writers = Array.from({ length: 6 }, write);
    for (let round = 0; round < 3; round += 1) {
      const before = acknowledged.length;
      await vi.waitUntil(() => acknowledged.length > before + 5, { timeout: 60_000 });
      await cluster.server.kill();
      expect(await faultOf(db.checkReady())).toMatchObject(unavailable);
      await cluster.server.start();
    }
    const before = acknowledged.length;
    await vi.waitUntil(() => acknowledged.length > before + 5, { timeout: 60_000 });
    isOver = true;
    await Promise.all(writers);
    await db.checkReady();
    const stored = await db.asTenant(place.tenantId, (tx) => tx.query.attachment.findMany({ columns: { id: true } }));
    const kept = new Set(stored.map(({ id }) => id));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  });

  it('survives the end of a connection inside a transaction [W15]', async () => {
    const db = await connect();
    const place = await createPlace(db);
    const broken = db.asTenant(place.tenantId, async (tx) => {
      const pid = await runStatement<number>(tx, sql`select to_jsonb(pg_backend_pid())`);
      await cluster.asSuperuser(`select pg_terminate_backend(${pid})`);
      const there = `select 1 from pg_stat_activity where pid = ${pid}`;
      await vi.waitUntil(async () => (await cluster.asSuperuser(there)).length === 0, {
        timeout: 60_000,
        interval: 20,
      });
      await tx.execute(sql`select 1`);
    });
    expect(await faultOf(broken)).toMatchObject(unavailable);
    expect(await db.asTenant(place.tenantId, (tx) => runStatement(tx, sql`select to_jsonb(1)`))).toBe(1);
  });

  it('lets a bounded number wait for a bounded time, and refuses the others at once', async () => {
    const db = await connect({ poolSize: 1, maxWaiting: 2, waitTimeoutMs: 200 });
    const running = sleep(db, 1);
    const [second, third, fourth] = await Promise.all([1, 2, 3].map(() => faultOf(db.checkReady())));
    expect(fourth).toMatchObject({ ...unavailable, message: expect.stringContaining('Too many requests wait') });
    for (const fault of [second, third]) {
      expect(fault).toMatchObject({ ...unavailable, message: expect.stringContaining('connections') });
    }
    await running;
    await db.checkReady();
  });

  it('gives up on a server that accepts and says nothing', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const db = await connect({
      url: `postgres://a:b@127.0.0.1:${(silent.address() as AddressInfo).port}/x`,
      connectTimeoutMs: 100,
    });
    expect(await faultOf(db.call(sql`select to_jsonb(1)`))).toMatchObject(unavailable);
  });

  it('ends statements that take too long, and transactions that do nothing', async () => {
    const db = await connect();
    const shown = await db.call(sql`select jsonb_build_object('statement', current_setting('statement_timeout'),
      'lock', current_setting('lock_timeout'), 'idle', current_setting('idle_in_transaction_session_timeout'))`);
    expect(shown).toEqual({ statement: '15s', lock: '5s', idle: '30s' });
  });

  it('rolls back what failed inside, also where the failure was caught', async () => {
    const db = await connect();
    const place = await createPlace(db);
    const swallowed = db.asTenant(place.tenantId, async (tx) => {
      await tx.execute(sql`update session set metadata = '{"changed": true}'`);
      await tx.execute(sql`select 1/0`).catch(() => {});
    });
    await expect(swallowed).rejects.toThrow();
    const changed = sql`select to_jsonb(count(*)::int) from session where metadata <> '{}'`;
    expect(await db.asTenant(place.tenantId, (tx) => runStatement(tx, changed))).toBe(0);
  });

  describe('readiness names what is wrong', () => {
    const readiness = async (given: Partial<PostgresOptions>) =>
      ((await faultOf((await connect(given)).checkReady())) as { message: string } | undefined)?.message;
    const login = (user: string, password: string, database = 'attache') =>
      cluster.server.urlOf({ user, password, database });

    it('a server that is gone, a wrong password, a missing schema, a missing role', async () => {
      expect(await readiness({ url: 'postgres://a:b@127.0.0.1:1/x' })).toBe(
        'The database does not answer. Try again in a moment.',
      );
      expect(await readiness({ url: login('attache_service', 'wrong') })).toBe(
        'The database refuses the login or its password.',
      );
      await cluster.createDatabase('bare');
      expect(await readiness({ url: login('attache_service', cluster.service.password, 'bare') })).toBe(
        'The database has no schema: run attache migrate.',
      );
      await cluster.asSuperuser(`create role half_login login password 'p' in role attache_worker`);
      expect(await readiness({ url: login('half_login', 'p') })).toMatch(/^The login lacks a role/);
    });

    it('a standby, which only replays what a primary decides [W5 W20]', async () => {
      const [row] = await cluster.asSuperuser('show data_directory');
      const signal = join(String(row?.data_directory), 'standby.signal');
      onTestFinished(async () => {
        await rm(signal, { force: true });
        await cluster.server.kill();
        await cluster.server.start();
      });
      await writeFile(signal, '');
      await cluster.server.kill();
      await cluster.server.start();
      expect(await cluster.asSuperuser('select pg_is_in_recovery() as is_standby')).toEqual([{ is_standby: true }]);
      expect(await readiness({})).toBe('The database is read-only: the primary server is needed.');
    });

    it('a server that only reads: decisions need the primary [W20]', async () => {
      await cluster.asSuperuser('alter role attache_service set default_transaction_read_only = on');
      onTestFinished(async () => {
        await cluster.asSuperuser('alter role attache_service reset default_transaction_read_only');
      });
      expect(await readiness({})).toBe('The database is read-only: the primary server is needed.');
    });

    it('an older schema', async () => {
      await cluster.asSuperuser(
        'begin; create table kept as table drizzle.__drizzle_migrations; delete from drizzle.__drizzle_migrations; commit',
      );
      onTestFinished(async () => {
        await cluster.asSuperuser('insert into drizzle.__drizzle_migrations select * from kept');
        await cluster.asSuperuser('drop table kept');
      });
      expect(await readiness({})).toBe('The schema is older than this release: run attache migrate.');
    });

    it('older functions, but not later ones', async () => {
      const setNumber = async (number: number) => {
        await cluster.asSuperuser(`update drizzle.__attache_functions set number = ${number}`);
      };
      onTestFinished(() => setNumber(FUNCTIONS_NUMBER));
      await setNumber(FUNCTIONS_NUMBER - 1);
      expect(await readiness({})).toBe(
        'The SQL functions of the database are older than this release: run attache migrate.',
      );
      await setNumber(FUNCTIONS_NUMBER + 1);
      expect(await readiness({})).toBeUndefined();
    });
  });
});
