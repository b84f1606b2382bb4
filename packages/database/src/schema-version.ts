import { Fault } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { runStatement } from './connection/run-statement.ts';

/** Number of the newest migration that this code knows; the first one is 0. */
export const SCHEMA_VERSION = 3;

/**
 * Counts the releases of the SQL functions. Whoever changes their text increases it and adds an entry to functions.json. A function keeps the arguments of
 * the release before, because processes of that release still run while a database is migrated.
 */
export const FUNCTIONS_NUMBER = 6;

type Executor = Pick<PgDatabase<PgQueryResultHKT>, 'execute'>;

/** Refuses a database that a newer release has migrated: this one would not understand it. `place` names it for people. */
export async function refuseNewerSchema(executor: Executor, place: string): Promise<void> {
  const isKnown = await runStatement<boolean>(
    executor,
    sql`select to_jsonb(to_regclass('drizzle.__drizzle_migrations') is not null)`,
  );
  if (!isKnown) return;
  const found = await runStatement<number>(
    executor,
    sql`select to_jsonb(count(*)::int - 1) from drizzle.__drizzle_migrations`,
  );
  if (found > SCHEMA_VERSION) throw newerSchemaFault(place, found);
}

/** The number of a schema that the baseline can take over; no migration behind the baseline has it yet. */
const REPLACED_VERSION = 43;

export function newerSchemaFault(place: string, found: number): Fault {
  if (found === REPLACED_VERSION)
    return new Fault(
      'CONFIGURATION_INVALID',
      `The schema of ${place} is from a build before version 0.1.0, and can be taken over: run attache migrate.`,
    );
  return new Fault(
    'CONFIGURATION_INVALID',
    `The schema of ${place} is from a newer release of Attaché (schema ${found}, this one knows ${SCHEMA_VERSION}): start that release, or restore a backup from before its start.`,
  );
}

/** The state of a database after `attache migrate`. `functionsNumber` is that of its SQL functions; undefined if its schema is too old to have one. */
export type SchemaState = { version: number; functionsNumber: number | undefined };

/** Finds the part of a database that is older than this release needs, with both numbers; undefined if none is. */
export function findOutdated({ version, functionsNumber = 0 }: SchemaState): Outdated | undefined {
  if (version < SCHEMA_VERSION) return { what: 'schema', found: version, needed: SCHEMA_VERSION };
  if (functionsNumber >= FUNCTIONS_NUMBER) return undefined;
  return { what: 'SQL functions', found: functionsNumber, needed: FUNCTIONS_NUMBER };
}

export type Outdated = { what: 'schema' | 'SQL functions'; found: number; needed: number };
