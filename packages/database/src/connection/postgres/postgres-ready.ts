import { Fault } from '@attache/contracts';
import { findOutdated, type Outdated, type SchemaState } from '../../schema-version.ts';
import { asDatabaseFault } from '../database-fault.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { type PostgresState, readPostgresState, readSchemaState } from './postgres-state.ts';

type UseConnection = <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>;

const notReady = (message: string, cause?: unknown) =>
  new Fault('DATABASE_UNAVAILABLE', message, { retryable: true, cause });

/** Throws `DATABASE_UNAVAILABLE` that names what is wrong. It goes to the operator, and names neither host nor login. */
export async function checkPostgresReady(useConnection: UseConnection): Promise<void> {
  let found: { state: PostgresState; schema: SchemaState | undefined };
  try {
    found = await useConnection(async (connection) => {
      const state = await readPostgresState(connection);
      const canAsk = state.hasSchema && state.missingRoles.length === 0;
      return { state, schema: canAsk ? await readSchemaState(connection) : undefined };
    });
  } catch (error) {
    throw notReady(describeFailure(error), error);
  }
  const problem = describeState(found.state, found.schema);
  if (problem !== undefined) throw notReady(problem);
}

function describeFailure(error: unknown): string {
  const { code = '' } = error as { code?: string };
  if (code === '28P01' || code === '28000') return 'The database refuses the login or its password.';
  if (code === '3D000') return 'The database that ATTACHE_DATABASE_URL names does not exist.';
  const fault = asDatabaseFault(error);
  return fault instanceof Fault ? fault.message : 'The database answers with an error.';
}

function describeState(state: PostgresState, schema: SchemaState | undefined): string | undefined {
  if (state.isReadOnly) return 'The database is read-only: the primary server is needed.';
  if (!state.hasSchema) return 'The database has no schema: run attache migrate.';
  if (state.missingRoles.length > 0)
    return `The login lacks a role: run attache migrate, or make it a member of ${state.missingRoles.join(' and ')}.`;
  // A newer schema is no reason to stop a process that runs: releases are rolled out one after the other.
  const outdated = schema && findOutdated(schema);
  return outdated && describeOutdated[outdated.what];
}

const describeOutdated: Record<Outdated['what'], string> = {
  schema: 'The schema is older than this release: run attache migrate.',
  'SQL functions': 'The SQL functions of the database are older than this release: run attache migrate.',
};
