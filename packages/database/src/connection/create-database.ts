import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Announced, CallOptions, Database, DatabaseOptions, Doorbell, Tx } from '../database.ts';
import type * as schema from '../schema.ts';
import { asDatabaseFault } from './database-fault.ts';

export type DrizzleDatabase = PgDatabase<PgQueryResultHKT, typeof schema>;

/** The work of a driver for the port. Tenants take turns; work for no tenant has its own turn, like one more tenant. */
export type DatabaseDriver = {
  /** Runs `work` in one transaction. `enter` is a statement without parameters that comes first. */
  transact<T>(enter: string, work: (tx: DrizzleDatabase) => Promise<T>, tenantId?: string): Promise<T>;
  /** The same for reads alone; may answer before the transaction has ended. */
  read<T>(enter: string, work: (tx: DrizzleDatabase) => Promise<T>, tenantId?: string): Promise<T>;
  /** Runs a statement with one row and one column of jsonb. */
  call<T>(statement: SQL, tenantId?: string): Promise<T>;
  /** Undefined if the server does it by itself. */
  tidy?: (() => Promise<void>) | undefined;
  checkReady(): Promise<void>;
  close(): Promise<void>;
};

const REFUSE_WRITES = "set_config('transaction_read_only', 'on', true)";

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function enterTenant(tenantId: string): string {
  // It becomes part of a statement's text.
  if (!uuidPattern.test(tenantId)) throw new Error('a tenant id is a uuid');
  return `select attache_enter('${tenantId}')`;
}

/** Tells what a commit rang and put into the outbox. */
function createRing(options: DatabaseOptions) {
  return (rung: Iterable<Doorbell>, announced: readonly Announced[]): void => {
    const doorbells = new Set(rung);
    for (const message of announced) if (!options.ringing?.ring(message)) doorbells.add(`outbox:${message.subject}`);
    if (doorbells.size > 0) options.onCommitted?.(doorbells);
  };
}

/** The port over a driver: roles, faults and doorbells. */
export function createDatabase(driver: DatabaseDriver, options: DatabaseOptions): Database {
  const ring = createRing(options);
  const fallbackMs = () => options.ringing?.fallbackMs() ?? 0;
  const begin = () => ({ doorbells: new Set<Doorbell>(), announced: [] as Announced[], fallbackMs: fallbackMs() });
  const runAs = async <T>(enter: string, work: (tx: Tx) => Promise<T>, tenantId?: string): Promise<T> => {
    const begun = begin();
    try {
      const result = await driver.transact(
        enter,
        (transaction) => work(Object.assign(transaction, begun) as unknown as Tx),
        tenantId,
      );
      ring(begun.doorbells, begun.announced);
      return result;
    } catch (error) {
      throw asDatabaseFault(error);
    }
  };
  return {
    asTenant: async (tenantId, work) => runAs(enterTenant(tenantId), work, tenantId),
    async readAsTenant(tenantId, work) {
      try {
        return await driver.read(
          `${enterTenant(tenantId)}, ${REFUSE_WRITES}`,
          (transaction) => work(Object.assign(transaction, begin()) as unknown as Tx),
          tenantId,
        );
      } catch (error) {
        throw asDatabaseFault(error);
      }
    },
    asWorker: (work) => runAs('select attache_enter_worker()', work),
    get fallbackMs() {
      return fallbackMs();
    },
    async call<T>(
      statement: SQL,
      { doorbells = [], early = [], announce, appended, tenantId }: CallOptions<T> = {},
    ): Promise<T> {
      try {
        for (const one of early) options.ringing?.ringEarly(one);
        const result = await driver.call<T>(statement, tenantId);
        const told = options.onAppended && appended?.(result);
        ring(
          told ? doorbells.filter((doorbell) => doorbell !== `log:${told.sessionId}`) : doorbells,
          announce?.(result) ?? [],
        );
        if (told) options.onAppended?.(told.sessionId, told.live);
        return result;
      } catch (error) {
        throw asDatabaseFault(error);
      }
    },
    async tidy() {
      await driver.tidy?.();
    },
    checkReady: () => driver.checkReady(),
    close: () => driver.close(),
  };
}
