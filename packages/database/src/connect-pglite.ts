import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { createDatabase, type DrizzleDatabase } from './create-database.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { gateQueries } from './gate-queries.ts';
import { migrationsFolder } from './migrations-folder.ts';
import { createPreparedCalls } from './prepared-calls.ts';
import * as schema from './schema.ts';

/**
 * Opens the embedded database in a folder of its own and brings it to the newest migration. The caller holds the folder's lock:
 * PGlite itself lets a second process in. It writes without fsync: the data survives the death of the process, not of the machine.
 */
export async function connectPglite(options: { folder: string } & DatabaseOptions): Promise<Database> {
  const client = await PGlite.create(options.folder);
  const gated = gateQueries(client);
  // The gate has what drizzle calls: query, exec and transaction.
  const db = drizzle({ client: gated as unknown as PGlite, schema });
  await migrate(db, { migrationsFolder });
  await client.exec('set role attache_app');
  const close = () => client.close();
  return createDatabase(db as unknown as DrizzleDatabase, close, options, createPreparedCalls(gated));
}
