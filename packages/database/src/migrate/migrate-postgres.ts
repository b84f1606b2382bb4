import { Fault } from '@attache/contracts';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { asDatabaseFault, driverErrorOf } from '../connection/database-fault.ts';
import { refuseOldServer } from '../connection/postgres/check-postgres.ts';
import { isTransactionPooled } from '../connection/postgres/detect-pooler.ts';
import {
  openConnection,
  type PostgresConnection,
  START_TIMEOUT_MS,
} from '../connection/postgres/postgres-connection.ts';
import { connectFault, readPlace } from '../connection/postgres/postgres-fault.ts';
import { readPostgresState } from '../connection/postgres/postgres-state.ts';
import { createTransaction, runPostgresTransaction } from '../connection/postgres/postgres-transaction.ts';
import { refuseNewerSchema } from '../schema-version.ts';
import { adoptBaseline } from './adopt-baseline.ts';
import { applyFunctions } from './apply-functions.ts';
import { migrationsFolder } from './migrations-folder.ts';
import { readFunctions } from './read-functions.ts';
import { ensureServiceLogins, type ServicePasswords } from './service-logins.ts';

/** Advisory lock that a migration holds, in the database that it migrates. */
export const MIGRATION_LOCK = 6_102_415;
const VARIABLE = 'ATTACHE_DATABASE_DIRECT_URL or ATTACHE_DATABASE_URL';
const ATTEMPTS = 5;

export type MigrateOptions = {
  /** A login that owns the database and may create roles. Not through a pooler. */
  url: string;
  /** Passwords of the services' logins; one that is left out stays as it is. */
  servicePasswords?: ServicePasswords | undefined;
};

/**
 * Brings a Postgres ≥ 15 to the newest migration and makes the services' logins, one process at a time, all of it or nothing.
 * Throws `CONFIGURATION_INVALID` with one sentence.
 */
export async function migratePostgres({ url, servicePasswords = {} }: MigrateOptions): Promise<void> {
  const open = () =>
    openConnection({ url, applicationName: 'attache-migrate', connectTimeoutMs: START_TIMEOUT_MS, isPooled: true });
  const connection = await open().catch((error: unknown) => {
    throw connectFault(error, url, VARIABLE);
  });
  try {
    refuseOldServer(await readPostgresState(connection), VARIABLE);
    await refusePooler(connection, open);
    // A migration takes the time that it takes.
    await connection.run(
      'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
    );
    for (let attempt = 1; !(await tryMigrate(connection, servicePasswords, attempt)); attempt += 1);
  } catch (error) {
    throw asMigrationFault(error, url);
  } finally {
    await connection.close();
  }
}

async function refusePooler(connection: PostgresConnection, open: () => Promise<PostgresConnection>): Promise<void> {
  const second = await open();
  try {
    if (await isTransactionPooled(connection, second)) throw pooledFault();
  } finally {
    await second.close();
  }
}

function pooledFault(): Fault {
  return new Fault(
    'CONFIGURATION_INVALID',
    'Migrations do not run through a pooler in transaction mode: set ATTACHE_DATABASE_DIRECT_URL to the server behind it.',
  );
}

/** Roles that functions belong to. */
const owners = ['attache_owner', 'attache_pruner', 'attache_control', 'attache_teller'];

// To give functions to these roles takes membership in them, and membership shows rows of every tenant: it ends with the migration.
const joinOwners = owners.map((role) => changeMembership(`grant ${role} to`, role)).join(';');
const leaveOwners = owners.map((role) => changeMembership(`revoke ${role} from`, role)).join(';');

function changeMembership(change: string, role: string): string {
  return `do $$ begin
    if exists (select 1 from pg_roles where rolname = '${role}') then execute format('${change} %I', current_user); end if;
  end $$`;
}

/** False: a migration of another database on this server changed the same roles just now. Nothing was changed here. */
async function tryMigrate(
  connection: PostgresConnection,
  passwords: ServicePasswords,
  attempt: number,
): Promise<boolean> {
  try {
    await runPostgresTransaction(connection, `select pg_advisory_xact_lock(${MIGRATION_LOCK})`, async (tx) => {
      await adoptBaseline(tx, 'the database');
      await refuseNewerSchema(tx, 'the database');
      await connection.run(joinOwners);
      await applyMigrations(connection);
      // A migration may have made one of the roles.
      await connection.run(joinOwners);
      await applyFunctions(tx, connection.run, await readFunctions());
      await connection.run(leaveOwners);
      await ensureServiceLogins(connection, passwords);
    });
    return true;
  } catch (error) {
    if (attempt >= ATTEMPTS || !isRoleRace(error)) throw error;
    return false;
  }
}

// The migrator begins a transaction of its own; it gets the one that runs, so that migrations and logins are one step.
function applyMigrations({ run }: PostgresConnection): Promise<void> {
  const client = { unsafe: run, begin: (work: (inner: unknown) => Promise<unknown>) => work(client) };
  return migrate(createTransaction(client) as never, { migrationsFolder });
}

// Roles belong to the server and the lock to one database.
function isRoleRace(error: unknown): boolean {
  const { code, message = '', constraint_name: constraint = '' } = driverErrorOf(error) ?? {};
  return code === 'XX000' ? message.includes('concurrently') : code === '23505' && constraint.startsWith('pg_auth');
}

function asMigrationFault(error: unknown, url: string): unknown {
  const { code, message } = driverErrorOf(error) ?? {};
  if (code !== '42501') return asDatabaseFault(error);
  return new Fault(
    'CONFIGURATION_INVALID',
    `The login ${readPlace(url).user} may not do what migrations need (${message}): use one that owns the database and has CREATEROLE in ${VARIABLE}.`,
    { cause: error },
  );
}
