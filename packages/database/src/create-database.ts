import { Fault } from '@attache/contracts';
import { type SQL, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Database, DatabaseOptions, Doorbell, Tx } from './database.ts';
import { asDatabaseFault } from './database-fault.ts';
import { runStatement } from './run-statement.ts';
import type * as schema from './schema.ts';

export type DrizzleDatabase = PgDatabase<PgQueryResultHKT, typeof schema>;

/** The port over any drizzle connection whose login may take the roles `attache_app` and `attache_worker`. */
export function createDatabase(
  drizzleDb: DrizzleDatabase,
  close: () => Promise<void>,
  options: DatabaseOptions,
  runCall = <T>(statement: SQL): Promise<T> => runStatement<T>(drizzleDb, statement),
): Database {
  const ring = (doorbells: ReadonlySet<Doorbell>) => {
    if (doorbells.size > 0) options.onCommitted?.(doorbells);
  };
  const runAs = async <T>(enter: SQL, work: (tx: Tx) => Promise<T>): Promise<T> => {
    const doorbells = new Set<Doorbell>();
    try {
      const result = await drizzleDb.transaction(async (transaction) => {
        await transaction.execute(enter);
        return work(Object.assign(transaction, { doorbells }) as unknown as Tx);
      });
      ring(doorbells);
      return result;
    } catch (error) {
      throw asDatabaseFault(error);
    }
  };
  return {
    asTenant: (tenantId, work) => runAs(sql`select attache_enter(${tenantId}::uuid)`, work),
    asWorker: (work) => runAs(sql`select attache_enter_worker()`, work),
    async call<T>(statement: SQL, doorbells: readonly Doorbell[] = []): Promise<T> {
      try {
        const result = await runCall<T>(statement);
        ring(new Set(doorbells));
        return result;
      } catch (error) {
        throw asDatabaseFault(error);
      }
    },
    async checkReady() {
      try {
        await drizzleDb.execute(sql`select 1`);
      } catch (cause) {
        throw new Fault('DATABASE_UNAVAILABLE', 'The database does not answer.', { retryable: true, cause });
      }
    },
    close,
  };
}
