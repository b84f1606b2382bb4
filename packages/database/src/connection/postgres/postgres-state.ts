import { sql } from 'drizzle-orm';
import { SCHEMA_VERSION, type SchemaState } from '../../schema-version.ts';
import { runStatement } from '../run-statement.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { runPostgresTransaction } from './postgres-transaction.ts';

/** What a login finds on a server before it takes any role. */
export type PostgresState = {
  serverVersion: number;
  database: string;
  login: string;
  isSuperuser: boolean;
  bypassesRowSecurity: boolean;
  /** In recovery, or told not to write. */
  isReadOnly: boolean;
  hasSchema: boolean;
  /** Of its service's role inside a tenant and `attache_worker`, those that the login is a member of. */
  roles: string[];
  serverPid: number;
  nowMs: number;
};

const stateQuery = `select jsonb_build_object(
  'serverVersion', current_setting('server_version_num')::int,
  'database', current_database(),
  'login', session_user,
  'isSuperuser', r.rolsuper,
  'bypassesRowSecurity', r.rolbypassrls,
  'isReadOnly', pg_is_in_recovery() or current_setting('transaction_read_only')::bool,
  'hasSchema', to_regprocedure('public.attache_schema_version()') is not null,
  'roles', (select coalesce(jsonb_agg(g.rolname order by g.rolname), '[]'::jsonb) from pg_roles g
    where g.rolname in ('attache_worker', case when session_user in ('attache_ingest', 'attache_projector', 'attache_gateway')
      then session_user || '_app' else 'attache_app' end) and pg_has_role(session_user, g.oid, 'member')),
  'serverPid', pg_backend_pid(),
  'nowMs', floor(extract(epoch from clock_timestamp()) * 1000)::float8) as state
  from pg_roles r where r.rolname = session_user`;

/** Reads the state in one round trip. */
export async function readPostgresState(connection: PostgresConnection): Promise<PostgresState> {
  const [row] = await connection.run(stateQuery);
  if (!row) throw new Error('the server does not know its own login');
  return row.state;
}

/** The newest migration of the database, and its functions where the schema can tell. */
export async function readSchemaState(connection: PostgresConnection): Promise<SchemaState> {
  return runPostgresTransaction(connection, 'select attache_enter_worker()', async (tx) => {
    const version = await runStatement<number>(tx, sql`select to_jsonb(attache_schema_version())`);
    if (version < SCHEMA_VERSION) return { version, functionsNumber: undefined };
    return {
      version,
      functionsNumber: await runStatement<number>(tx, sql`select to_jsonb(attache_functions_number())`),
    };
  });
}
