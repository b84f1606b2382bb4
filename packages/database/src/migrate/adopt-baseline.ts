import { Fault } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { runStatement } from '../connection/run-statement.ts';
import { migrationsFolder } from './migrations-folder.ts';

type Executor = Pick<PgDatabase<PgQueryResultHKT>, 'execute'>;
/** The times are null if there are none. */
type Applied = { count: number; firstMs: number | null; lastMs: number | null };

/** The migrations that the baseline replaced. A database that has all of them has the schema of the baseline. */
const REPLACED = { count: 44, firstMs: 1_795_267_076_741, lastMs: 1_795_783_251_433 };

/**
 * Takes over a database that the migrations before the baseline made, inside the caller's transaction: its schema is that of the baseline, and its SQL functions
 * are applied again. Throws `CONFIGURATION_INVALID` if it has only some of them. `place` names it for people. Any other database stays as it is.
 */
export async function adoptBaseline(executor: Executor, place: string): Promise<void> {
  const applied = await readApplied(executor);
  if (applied?.firstMs !== REPLACED.firstMs) return;
  if (applied.count !== REPLACED.count || applied.lastMs !== REPLACED.lastMs) throw tooOldFault(place, applied);
  const [baseline] = readMigrationFiles({ migrationsFolder });
  if (!baseline) throw new Error(`there is no migration in ${migrationsFolder}`);
  await executor.execute(sql`delete from drizzle.__drizzle_migrations`);
  await executor.execute(
    sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${baseline.hash}, ${baseline.folderMillis})`,
  );
  await executor.execute(sql`delete from drizzle.__attache_functions`);
}

/** The migrations of a database; undefined if it has no table of them. */
async function readApplied(executor: Executor): Promise<Applied | undefined> {
  const isKnown = await runStatement<boolean>(
    executor,
    sql`select to_jsonb(to_regclass('drizzle.__drizzle_migrations') is not null)`,
  );
  if (!isKnown) return undefined;
  return await runStatement<Applied>(
    executor,
    sql`select jsonb_build_object('count', count(*)::int, 'firstMs', min(created_at), 'lastMs', max(created_at)) from drizzle.__drizzle_migrations`,
  );
}

function tooOldFault(place: string, { count }: Applied): Fault {
  return new Fault(
    'CONFIGURATION_INVALID',
    `The schema of ${place} is from a build before version 0.1.0 (migration ${count - 1}, of which only ${REPLACED.count - 1} can be taken over): start with another one, and keep this one aside.`,
  );
}
