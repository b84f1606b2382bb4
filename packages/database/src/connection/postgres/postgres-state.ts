import { sql } from 'drizzle-orm';
import { SCHEMA_VERSION, type SchemaState } from '../../schema-version.ts';
import { runStatement } from '../run-statement.ts';
import { rolesOfLogin, rolesOfOther } from './login-roles.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { runPostgresTransaction } from './postgres-transaction.ts';

/** The state of a server as a login finds it, before it takes any role. */
export type PostgresState = {
  serverVersion: number;
  database: string;
  login: string;
  isSuperuser: boolean;
  bypassesRowSecurity: boolean;
  /** In recovery, or set to read-only. */
  isReadOnly: boolean;
  hasSchema: boolean;
  /** The roles that the login needs and may not take. */
  missingRoles: string[];
  nowMs: number;
};

const listOf = (roles: readonly string[]) => `array[${roles.map((role) => `'${role}'`).join(', ')}]`;
const cases = Object.entries(rolesOfLogin).map(([login, roles]) => `when '${login}' then ${listOf(roles)}`);

const stateQuery = `select jsonb_build_object(
  'serverVersion', current_setting('server_version_num')::int,
  'database', current_database(),
  'login', session_user,
  'isSuperuser', r.rolsuper,
  'bypassesRowSecurity', r.rolbypassrls,
  'isReadOnly', pg_is_in_recovery() or current_setting('transaction_read_only')::bool,
  'hasSchema', to_regprocedure('public.attache_schema_version()') is not null,
  'missingRoles', (select coalesce(jsonb_agg(wanted.name order by wanted.name), '[]'::jsonb)
    from unnest(case session_user ${cases.join(' ')} else ${listOf(rolesOfOther)} end) as wanted(name)
      left join pg_roles g on g.rolname = wanted.name where g.oid is null or not pg_has_role(session_user, g.oid, 'member')),
  'nowMs', floor(extract(epoch from clock_timestamp()) * 1000)::float8) as state
  from pg_roles r where r.rolname = session_user`;

/** Reads the state in one round trip. */
export async function readPostgresState(connection: PostgresConnection): Promise<PostgresState> {
  const [row] = await connection.run(stateQuery);
  if (!row) throw new Error('the server does not know its own login');
  return row.state;
}

/** The newest migration of the database, and its functions' number if the schema has one. */
export async function readSchemaState(connection: PostgresConnection): Promise<SchemaState> {
  return runPostgresTransaction(connection, 'select attache_enter(null)', async (tx) => {
    const version = await runStatement<number>(tx, sql`select to_jsonb(attache_schema_version())`);
    if (version < SCHEMA_VERSION) return { version, functionsNumber: undefined };
    return {
      version,
      functionsNumber: await runStatement<number>(tx, sql`select to_jsonb(attache_functions_number())`),
    };
  });
}
