import { Fault } from '@attache/contracts';
import { createTableRelationsHelpers, extractTablesRelationalConfig } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { PostgresJsSession, PostgresJsTransaction } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import * as schema from '../../schema.ts';
import type { DrizzleDatabase } from '../create-database.ts';
import { isConnectionLoss } from '../database-fault.ts';
import { type PostgresConnection, rejectedRows } from './postgres-connection.ts';

const dialect = new PgDialect();
const extracted = extractTablesRelationalConfig(schema, createTableRelationsHelpers);
const relational = {
  fullSchema: schema,
  schema: extracted.tables,
  tableNamesMap: extracted.tableNamesMap,
} as never;

/**
 * Runs `work` in one transaction. `enter` is a statement without parameters that goes out with the `begin`, and the first
 * statement of `work` right behind, without waiting for an answer: if entering fails, the transaction is aborted and nothing after it runs.
 */
export async function runPostgresTransaction<T>(
  connection: PostgresConnection,
  enter: string,
  work: (tx: DrizzleDatabase) => Promise<T>,
): Promise<T> {
  const begun = connection.run(`begin; ${enter}`);
  const statements = trackStatements(connection);
  try {
    const result = await work(createTransaction(statements.client));
    await begun;
    statements.end();
    await commit(connection, statements);
    return result;
  } catch (error) {
    statements.end();
    // A broken connection takes its transaction with it. The driver sends this behind whatever is still on its way.
    await connection.run('rollback').catch(() => connection.close());
    await begun;
    throw error;
  }
}

/**
 * Runs `work` in one transaction that only reads. Its end is sent and not waited for: it has no bearing on the rows that were read, and the next user of the
 * connection comes after it.
 */
export async function runPostgresRead<T>(
  connection: PostgresConnection,
  enter: string,
  work: (tx: DrizzleDatabase) => Promise<T>,
): Promise<T> {
  const begun = connection.run(`begin; ${enter}`);
  const statements = trackStatements(connection);
  try {
    const [, result] = await Promise.all([begun, work(createTransaction(statements.client))]);
    return result;
  } finally {
    statements.end();
    connection.run('rollback').catch(() => connection.close());
  }
}

/** The part of a client that drizzle uses inside a transaction. */
type StatementClient = { unsafe: PostgresConnection['run'] };

/** Builds a drizzle transaction over `client` alone. */
export function createTransaction(client: StatementClient): DrizzleDatabase {
  const session = new PostgresJsSession(client as unknown as Sql, dialect, relational, {});
  const transaction = new PostgresJsTransaction(dialect, session as never, undefined);
  // A builder for every table, made again for every transaction, costs more than its statements: only who asks gets them.
  Object.defineProperty(transaction, 'query', {
    get: () => new PostgresJsTransaction(dialect, session as never, relational).query,
  });
  return transaction as unknown as DrizzleDatabase;
}

type Statements = ReturnType<typeof trackStatements>;

// Remembers the first failure: the server answers the commit of a failed transaction with a rollback and without an error.
function trackStatements(connection: PostgresConnection) {
  let isOver = false;
  let failure: unknown;
  const unsafe: PostgresConnection['run'] = (text, parameters) => {
    if (isOver) return rejectedRows(new Error('the transaction has ended'));
    const rows = connection.run(text, parameters);
    rows.catch((error: unknown) => {
      failure ??= error;
    });
    return rows;
  };
  return {
    client: { unsafe } satisfies StatementClient,
    end: () => {
      isOver = true;
    },
    failure: () => failure,
  };
}

async function commit(connection: PostgresConnection, statements: Statements): Promise<void> {
  let command: string;
  try {
    ({ command } = await connection.run('commit'));
  } catch (cause) {
    if (!isConnectionLoss(cause)) throw cause;
    // W4: only the database can tell whether the commit holds, when the caller asks again.
    throw new Fault(
      'DATABASE_UNAVAILABLE',
      'The database broke off during a commit, so its outcome is unknown. Try again with the same idempotency key.',
      { retryable: true, cause },
    );
  }
  if (command === 'ROLLBACK') throw statements.failure() ?? new Error('the transaction was rolled back');
}
