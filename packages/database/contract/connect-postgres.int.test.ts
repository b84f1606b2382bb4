import { randomBytes } from 'node:crypto';
import { type OwnPostgres, useStarts } from '@attache/test-servers';
import postgres from 'postgres';
import { describe, expect, inject, it } from 'vitest';
import { connectPostgres, migratePostgres } from '../src/connect-postgres.ts';
import type { DatabaseOptions } from '../src/database.ts';
import { SCHEMA_VERSION } from '../src/schema-version.ts';
import { describeServiceLogin } from './__fixtures__/service-login.ts';
import { describeDatabase, type OpenedDatabase } from './database.contract.ts';

const { programs, missing } = inject('servers');

type Logins = { ownerUrl: string; serviceUrl: string };

/** The logins of a hosted stack: one that owns the database and migrates it, and that of a service. */
async function createLogins(server: OwnPostgres): Promise<Logins> {
  const admin = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  const database = 'attache';
  const [ownerPassword, servicePassword] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
  await admin.unsafe(`create role migrator login nosuperuser createrole password '${ownerPassword}'`);
  await admin.unsafe('create database attache owner migrator');
  const ownerUrl = server.urlOf({ user: 'migrator', password: ownerPassword, database });
  await migratePostgres({ url: ownerUrl });
  const service = { user: 'attache_service', password: servicePassword, database };
  await admin.unsafe(describeServiceLogin(service));
  await admin.end();
  return { ownerUrl, serviceUrl: server.urlOf(service) };
}

async function openPostgres(options: DatabaseOptions): Promise<OpenedDatabase & Logins> {
  const server = await useStarts().postgres({ programs: programs.postgres ?? '', settings: { fsync: 'off' } });
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

if (programs.postgres) {
  describeDatabase('Postgres', openPostgres);
  describe('Postgres', () => {
    it('migrates once when many processes start together', async () => {
      const server = await useStarts().postgres({ programs: programs.postgres ?? '', settings: { fsync: 'off' } });
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
        expect(applied[0]?.count).toBe(SCHEMA_VERSION + 1);
      } finally {
        await server.stop();
      }
    });
  });
} else {
  describe.skip(`Postgres: ${missing.find(({ name }) => name === 'postgres')?.why}`, () => {
    it('runs the database contract', () => {});
  });
}
