import { Fault } from '@attache/contracts';
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { createDatabase, type DatabaseDriver } from './connection/create-database.ts';
import { createConnectionPool } from './connection/postgres/connection-pool.ts';
import {
  type ConnectionOptions,
  openConnection,
  type PostgresConnection,
} from './connection/postgres/postgres-connection.ts';
import { checkPostgresReady } from './connection/postgres/postgres-ready.ts';
import { runPostgresRead, runPostgresTransaction } from './connection/postgres/postgres-transaction.ts';
import type { Database, DatabaseOptions } from './database.ts';

export { checkPostgres } from './connection/postgres/check-postgres.ts';
export { migratePostgres } from './migrate/migrate-postgres.ts';

const CLOSE_TIMEOUT_MS = 5_000;

export type PostgresOptions = DatabaseOptions & {
  /** A login that may take its roles of `rolesOfLogin`, and inherits nothing. */
  url: string;
  poolSize?: number | undefined;
  /** Through a pooler in transaction mode: nothing is prepared. */
  isPooled?: boolean | undefined;
  connectTimeoutMs?: number | undefined;
  /** How long a request waits for a connection before it is refused. */
  waitTimeoutMs?: number | undefined;
  /** How many requests may wait; 100 for each connection by default. */
  maxWaiting?: number | undefined;
  /** Shown in the server's list of connections. */
  applicationName?: string | undefined;
};

/** Opens a pool; nothing is connected before the first use, and a lost connection is replaced by the next use. */
export async function connectPostgres(options: PostgresOptions): Promise<Database> {
  const size = options.poolSize ?? 10;
  const connectionOptions: ConnectionOptions = {
    url: options.url,
    applicationName: options.applicationName ?? 'attache',
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    isPooled: options.isPooled ?? false,
  };
  const pool = createConnectionPool<PostgresConnection>({
    open: () => openConnection(connectionOptions),
    size,
    maxWaiting: options.maxWaiting ?? size * 100,
    waitTimeoutMs: options.waitTimeoutMs ?? 10_000,
  });
  const driver: DatabaseDriver = {
    transact: (enter, work, tenantId) =>
      pool.use((connection) => runPostgresTransaction(connection, enter, work), tenantId),
    read: (enter, work, tenantId) => pool.use((connection) => runPostgresRead(connection, enter, work), tenantId),
    call: (statement, tenantId) => pool.use((connection) => callStatement(connection, statement), tenantId),
    checkReady: () => checkPostgresReady((work) => pool.use(work)),
    close: () => pool.close(CLOSE_TIMEOUT_MS),
  };
  return createDatabase(driver, options);
}

const dialect = new PgDialect();

async function callStatement<T>(connection: PostgresConnection, statement: SQL): Promise<T> {
  const { sql: text, params } = dialect.sqlToQuery(statement);
  const [row] = await connection.run(text, params as never);
  return (row === undefined ? null : Object.values(row)[0]) as T;
}

/** Refuses a login of a service for commands of operators: none of them may what these need. Throws `CONFIGURATION_INVALID` that says what to do. */
export async function requireOperatorLogin(db: Database): Promise<void> {
  const { login, isOperator } = await db.call<{ login: string; isOperator: boolean }>(
    sql`select jsonb_build_object('login', session_user, 'isOperator', pg_has_role(session_user, 'attache_worker', 'member'))`,
  );
  if (isOperator) return;
  throw new Fault(
    'CONFIGURATION_INVALID',
    `Commands of operators have the login attache_operator, and ATTACHE_DATABASE_URL names ${login}: run attache migrate with ATTACHE_DATABASE_OPERATOR_PASSWORD, and name that login here.`,
  );
}
