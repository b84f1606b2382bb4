import { Fault } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { createDatabase, type DrizzleDatabase } from './create-database.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { migrationsFolder } from './migrations-folder.ts';
import * as schema from './schema.ts';

const MIGRATION_LOCK = 6_102_415;

/** Brings a Postgres ≥ 15 to the newest migration, one process at a time. The login may create roles and owns the schema. */
export async function migratePostgres(options: { url: string }): Promise<void> {
  const client = postgres(options.url, { max: 1, onnotice: () => {} });
  try {
    const db = drizzle(client);
    const version = Number((await client`show server_version_num`)[0]?.server_version_num);
    if (version < 150_000)
      throw new Fault(
        'CONFIGURATION_INVALID',
        `Postgres 15 or newer is needed; this server is ${Math.floor(version / 10_000)}.`,
      );
    await db.execute(sql`select pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate(db, { migrationsFolder });
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Opens a pool. The login is a member of `attache_app` and, where it relays, projects or owns, of `attache_worker`. */
export async function connectPostgres(
  options: { url: string; poolSize?: number } & DatabaseOptions,
): Promise<Database> {
  const client = postgres(options.url, { max: options.poolSize ?? 10, connect_timeout: 5, onnotice: () => {} });
  const db = drizzle(client, { schema }) as unknown as DrizzleDatabase;
  return createDatabase(db, () => client.end({ timeout: 5 }), options);
}
