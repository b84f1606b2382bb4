import type { Subject } from '@attache/contracts';
import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type * as schema from './schema.ts';

/** One transaction. `ring` names what to wake after the commit; nothing is woken if it rolls back. */
export type Tx = PgDatabase<PgQueryResultHKT, typeof schema> & { readonly doorbells: Set<Doorbell> };

/** `outbox:<subject>`: a message waits. `log:<session uuid>`: a session log grew. */
export type Doorbell = `outbox:${Subject}` | `log:${string}`;

export type CallOptions = {
  /** Rung after it. */
  doorbells?: readonly Doorbell[];
  /** Whose turn it takes; what serves no tenant has turns of its own. */
  tenantId?: string | undefined;
};

/** The database port. Ids are stored uuids here, never public ids. */
export interface Database {
  /** Runs `work` in one transaction that sees and writes this tenant's rows only. */
  asTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same for reads alone: the database refuses any write, and the answer does not wait for the end of the transaction.
   */
  readAsTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs `work` in one transaction as the role of control tables: those of all tenants that its login may touch, no content. Ingest has none. */
  asWorker<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs one statement that returns one jsonb value, in its own transaction: for the functions that enter a tenant by
   * themselves.
   */
  call<T>(statement: SQL, options?: CallOptions): Promise<T>;
  /**
   * Gives the room of removed rows to new ones, and counts rows anew for plans, where the database does not do so by itself.
   */
  tidy(): Promise<void>;
  /** Throws a `DATABASE_UNAVAILABLE` fault when it does not answer. */
  checkReady(): Promise<void>;
  close(): Promise<void>;
}

export type DatabaseOptions = {
  /** Called after each commit with what it rang. Must not throw. */
  onCommitted?: ((doorbells: ReadonlySet<Doorbell>) => void) | undefined;
};
