import { Fault } from '@attache/contracts';
import { findOutdated, newerSchemaFault, SCHEMA_VERSION } from '../../schema-version.ts';
import { isTransactionPooled } from './detect-pooler.ts';
import { openConnection, type PostgresConnection, START_TIMEOUT_MS } from './postgres-connection.ts';
import { connectFault, readPlace } from './postgres-fault.ts';
import { type PostgresState, readPostgresState, readSchemaState } from './postgres-state.ts';

const OLDEST_SERVER = 150_000;

export type PostgresCheck = {
  /** This machine's clock less that of the server. */
  clockSkewMs: number;
  /** Services must then connect with `isPooled`. */
  isTransactionPooled: boolean;
  /** As `server_version_num`: 150018 is 15.18. */
  version: number;
};

const invalid = (message: string) => new Fault('CONFIGURATION_INVALID', message);

/**
 * Checks the database before a service starts on it. Throws `CONFIGURATION_INVALID` with one sentence of advice. `directUrl` is the way around a pooler, by
 * which migrations run.
 */
export async function checkPostgres(options: { url: string; directUrl?: string | undefined }): Promise<PostgresCheck> {
  const open = () =>
    openConnection({
      ...{ url: options.url, applicationName: 'attache-check', connectTimeoutMs: START_TIMEOUT_MS },
      // Whether there is a pooler in between is not known yet.
      isPooled: true,
    });
  const [connection, second] = await openTwo(open).catch((error: unknown) => {
    throw connectFault(error, options.url, 'ATTACHE_DATABASE_URL');
  });
  try {
    const askedAtMs = Date.now();
    const state = await readPostgresState(connection);
    const clockSkewMs = Math.round((askedAtMs + Date.now()) / 2 - state.nowMs);
    refuseState(state, options.url);
    await refuseSchema(connection, state);
    const isPooled = await isTransactionPooled(connection, second);
    if (isPooled && options.directUrl === undefined) {
      throw invalid(
        'ATTACHE_DATABASE_URL leads to a pooler in transaction mode, through which no migration can run: set ATTACHE_DATABASE_DIRECT_URL to the server behind it.',
      );
    }
    return { clockSkewMs, isTransactionPooled: isPooled, version: state.serverVersion };
  } finally {
    await Promise.all([connection.close(), second.close()]);
  }
}

/** Opens two at once: to log in takes longer than all that is asked afterwards. */
async function openTwo(open: () => Promise<PostgresConnection>): Promise<[PostgresConnection, PostgresConnection]> {
  const opening = [open(), open()] as const;
  try {
    return await Promise.all(opening);
  } catch (error) {
    for (const each of opening) void each.then((opened) => opened.close()).catch(() => {});
    throw error;
  }
}

/** Refuses a server that is too old. `variable` holds its URL. */
export function refuseOldServer({ serverVersion }: Pick<PostgresState, 'serverVersion'>, variable: string): void {
  if (serverVersion >= OLDEST_SERVER) return;
  throw invalid(
    `Postgres 15 or newer is needed, and the server of ${variable} is ${Math.floor(serverVersion / 10_000)}: upgrade it, or name another one.`,
  );
}

function refuseState(state: PostgresState, url: string): void {
  const { host } = readPlace(url);
  refuseOldServer(state, 'ATTACHE_DATABASE_URL');
  if (state.isSuperuser || state.bypassesRowSecurity) {
    const what = state.isSuperuser ? 'is a superuser' : 'has BYPASSRLS';
    throw invalid(
      `The login ${state.login} of ATTACHE_DATABASE_URL ${what}, so row-level security would not hold: use the service's own login, e.g. attache_ingest.`,
    );
  }
  if (state.isReadOnly) {
    throw invalid(`Postgres at ${host} is read-only: name the primary server in ATTACHE_DATABASE_URL.`);
  }
  if (!state.hasSchema) {
    throw invalid(`The database "${state.database}" at ${host} has no schema of Attaché: run attache migrate.`);
  }
  if (state.missingRoles.length > 0) {
    throw invalid(
      `The login ${state.login} of ATTACHE_DATABASE_URL lacks a role: run attache migrate and use the service's own login, or grant it ${state.missingRoles.join(' and ')}.`,
    );
  }
}

async function refuseSchema(connection: PostgresConnection, { database }: PostgresState): Promise<void> {
  const schema = await readSchemaState(connection);
  if (schema.version > SCHEMA_VERSION) throw newerSchemaFault(`the database "${database}"`, schema.version);
  const outdated = findOutdated(schema);
  if (outdated === undefined) return;
  const { what, found, needed } = outdated;
  const verb = what === 'schema' ? 'is' : 'are';
  throw invalid(
    `The ${what} of the database "${database}" ${verb} older than this release (${found}, needed ${needed}): run attache migrate.`,
  );
}
