import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { findPostgresPrograms, type RunningPostgres, startPostgres } from '../../../infra/native/start-postgres.ts';
import { connectPostgres, migratePostgres } from './connect-postgres.ts';
import { describeDatabase, type OpenedDatabase } from './database.contract.ts';
import type { DatabaseOptions } from './database.ts';

const programs = await findPostgresPrograms(process.env.PATH ?? '');

type Logins = { ownerUrl: string; serviceUrl: string };

/** The logins of a hosted stack: one that owns the database and migrates it, one that only takes the app's and worker's roles. */
async function createLogins(server: RunningPostgres): Promise<Logins> {
  const admin = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  const [owner, service] = ['migrator', 'service'].map((user) => ({
    ...{ user, password: randomBytes(8).toString('hex'), database: 'attache' },
  })) as [Login, Login];
  await admin.unsafe(`create role migrator login nosuperuser createrole password '${owner.password}'`);
  await admin.unsafe('create database attache owner migrator');
  await migratePostgres({ url: server.urlOf(owner) });
  await admin.unsafe(
    `create role service login nosuperuser noinherit password '${service.password}' in role attache_app, attache_worker`,
  );
  await admin.end();
  return { ownerUrl: server.urlOf(owner), serviceUrl: server.urlOf(service) };
}

type Login = { user: string; password: string; database: string };

async function openPostgres(options: DatabaseOptions): Promise<OpenedDatabase & Logins> {
  const server = await startPostgres({ programs: programs ?? '', settings: { fsync: 'off' } });
  try {
    const logins = await createLogins(server);
    const db = await connectPostgres({ url: logins.serviceUrl, poolSize: 12, ...options });
    return {
      ...{ db, ...logins },
      async migrateAgain() {
        await migratePostgres({ url: logins.ownerUrl });
        return db;
      },
      async close() {
        await db.close();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

if (programs) {
  describeDatabase('Postgres', openPostgres);
  describe('Postgres', () => {
    it('migrates once when many processes start together', async () => {
      const server = await startPostgres({ programs, settings: { fsync: 'off' } });
      try {
        const admin = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
        await admin.unsafe('create database attache');
        await admin.end();
        const { pathname } = new URL(server.superuserUrl);
        const url = server.superuserUrl.slice(0, -pathname.length).concat('/attache');
        await Promise.all(Array.from({ length: 4 }, () => migratePostgres({ url })));
        const reader = postgres(url, { max: 1 });
        const applied = await reader`select count(*)::int as count from drizzle.__drizzle_migrations`;
        await reader.end();
        expect(applied[0]?.count).toBe(2);
      } finally {
        await server.stop();
      }
    });
  });
} else {
  describe.skip('Postgres 15+ binaries not found on PATH or /usr/lib/postgresql', () => {
    it('runs the database contract', () => {});
  });
}
