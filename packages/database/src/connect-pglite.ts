import { Fault } from '@attache/contracts';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { createDatabase, type DatabaseDriver, type DrizzleDatabase } from './connection/create-database.ts';
import { closeFiles, makeClosedFolder } from './connection/pglite/close-folder.ts';
import { type GatedPglite, gateQueries } from './connection/pglite/gate-queries.ts';
import { createPreparedCalls } from './connection/pglite/prepared-calls.ts';
import { createTurns } from './connection/turns.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { adoptBaseline } from './migrate/adopt-baseline.ts';
import { applyFunctions } from './migrate/apply-functions.ts';
import { migrationsFolder } from './migrate/migrations-folder.ts';
import { readFunctions } from './migrate/read-functions.ts';
import * as schema from './schema.ts';
import { refuseNewerSchema } from './schema-version.ts';

/**
 * Opens the embedded database in a folder of its own and brings it to the newest migration. The caller holds the folder's lock:
 * PGlite itself lets a second process in. It writes without fsync: the data survives the death of the process, not of the machine.
 * Only the folder's owner can read it. Refuses a folder that a newer release has migrated (`CONFIGURATION_INVALID`).
 */
export async function connectPglite(options: { folder: string } & DatabaseOptions): Promise<Database> {
  makeClosedFolder(options.folder);
  const client = await PGlite.create(options.folder);
  const gated = gateQueries(client);
  // The gate has what drizzle calls: query, exec and transaction.
  const db = drizzle({ client: gated as unknown as PGlite, schema });
  try {
    closeFiles(options.folder);
    const place = `the data folder ${options.folder}`;
    await db.transaction((tx) => adoptBaseline(tx, place));
    await refuseNewerSchema(db, place);
    await migrate(db, { migrationsFolder });
    const functions = await readFunctions();
    await gated.transaction(async (tx) => {
      await applyFunctions(
        drizzle({ client: tx as unknown as PGlite, schema }),
        (script) => tx.exec(script),
        functions,
      );
    });
    // As for the logins of the services on a server.
    await client.exec('set random_page_cost = 1.1; set role attache_app');
  } catch (error) {
    await client.close();
    throw error;
  }
  const turns = createTurns({ size: 1 });
  const transact: DatabaseDriver['transact'] = (enter, work, tenantId) =>
    turns.run(tenantId, () =>
      db.transaction(async (tx) => {
        await tx.execute(sql.raw(enter));
        return work(tx as unknown as DrizzleDatabase);
      }),
    );
  const callPrepared = createPreparedCalls(gated);
  return createDatabase(
    {
      transact,
      read: transact,
      call: (statement, tenantId) => turns.run(tenantId, () => callPrepared(statement)),
      tidy: () => tidyPglite(gated),
      async checkReady() {
        try {
          await db.execute(sql`select 1`);
        } catch (cause) {
          throw new Fault('DATABASE_UNAVAILABLE', 'The database does not answer.', { retryable: true, cause });
        }
      },
      close: () => client.close(),
    },
    options,
  );
}

const TABLES = `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`;

/**
 * Vacuums and analyses every table, for which PGlite has no process of its own, and ends what its log keeps for a crash. Others have their turns between
 * two tables.
 */
async function tidyPglite(gated: GatedPglite): Promise<void> {
  const { rows } = await gated.query<{ relname: string }>(TABLES);
  for (const { relname } of rows) await runAsOwner(gated, `vacuum (analyze) "${relname}"`);
  await runAsOwner(gated, 'checkpoint');
}

/** Runs a statement as the owner. Whether it succeeds or fails, the next statement runs as the application again. */
const runAsOwner = (gated: GatedPglite, statement: string): Promise<void> =>
  gated.runAlone(async (client) => {
    await client.exec('reset role');
    try {
      await client.exec(statement);
    } finally {
      await client.exec('set role attache_app');
    }
  });
