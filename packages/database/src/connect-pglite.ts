import { Fault } from '@attache/contracts';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { createDatabase, type DatabaseDriver, type DrizzleDatabase } from './connection/create-database.ts';
import { gateQueries } from './connection/pglite/gate-queries.ts';
import { createPreparedCalls } from './connection/pglite/prepared-calls.ts';
import { tidyPglite } from './connection/pglite/tidy-pglite.ts';
import { createTurns } from './connection/turns.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { applyFunctions } from './migrate/apply-functions.ts';
import { migrationsFolder } from './migrate/migrations-folder.ts';
import { readFunctions } from './migrate/read-functions.ts';
import * as schema from './schema.ts';
import { refuseNewerSchema } from './schema-version.ts';

/**
 * Opens the embedded database in a folder of its own and brings it to the newest migration. The caller holds the folder's lock:
 * PGlite itself lets a second process in. It writes without fsync: the data survives the death of the process, not of the machine.
 * Refuses a folder that a newer release has migrated (`CONFIGURATION_INVALID`).
 */
export async function connectPglite(options: { folder: string } & DatabaseOptions): Promise<Database> {
  const client = await PGlite.create(options.folder);
  const gated = gateQueries(client);
  // The gate has what drizzle calls: query, exec and transaction.
  const db = drizzle({ client: gated as unknown as PGlite, schema });
  try {
    await refuseNewerSchema(db, `the data folder ${options.folder}`);
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
