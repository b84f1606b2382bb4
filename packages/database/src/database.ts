import type { LiveEvents, Subject, TraceContext } from '@attache/contracts';
import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type * as schema from './schema.ts';

/**
 * One transaction. `doorbells` names what to wake after the commit, and `announced` holds what was put into the outbox; nothing is woken if it
 * rolls back.
 */
export type Tx = PgDatabase<PgQueryResultHKT, typeof schema> & {
  readonly doorbells: Set<Doorbell>;
  readonly announced: Announced[];
  readonly fallbackMs: number;
};

/** A message that a transaction has put into the outbox. */
export type Announced = {
  id: string;
  subject: Subject;
  data: { tenantId: string; sessionId: string } & Record<string, string>;
  trace?: TraceContext | null | undefined;
  /** Incarnation of the living gateway that owns its session, where its consumer is the gateway. */
  owner?: string | null | undefined;
  /** The data that its consumer would read otherwise: of an attachment to be inspected, or of the first delivery in its agent's line. */
  head?: unknown;
};

/** The place of a stored blob that a delivery brings. */
export type EarlyBlob = { key: string; sizeBytes: number };

/** The report about a delivery that the session's owner gets right before the commit: the owner may fetch the bytes meanwhile. */
export type EarlyRing = {
  owner: string;
  data: { tenantId: string; sessionId: string; deliveryId: string; agentId: string };
  blobs: readonly EarlyBlob[];
};

/** `outbox:<subject>`: a message waits. `log:<session uuid>`: a session log grew. */
export type Doorbell = `outbox:${Subject}` | `log:${string}`;

/** Events of one session as readers of its log have them, at least one. */
export type Appended = { sessionId: string; live: LiveEvents };

export type CallOptions<T> = {
  /** Rung after it. */
  doorbells?: readonly Doorbell[];
  /** Rung before it. It may yet fail. */
  early?: readonly EarlyRing[];
  /** The messages that the call has put into the outbox, taken from its result. */
  announce?: (answer: T) => readonly Announced[];
  /** The events that the call has appended to a session's log, taken from its result; undefined if they cannot be derived. */
  appended?: (answer: T) => Appended | undefined;
  /** The tenant whose turn it takes; work for no tenant has turns of its own. */
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
  call<T>(statement: SQL, options?: CallOptions<T>): Promise<T>;
  /** For how many milliseconds a row of the outbox that is written now waits as the fallback of a ring; 0 where the outbox is what wakes. */
  readonly fallbackMs: number;
  /**
   * Gives the room of removed rows to new ones, and counts rows again for plans, where the database does not do so by itself.
   */
  tidy(): Promise<void>;
  /** Throws a `DATABASE_UNAVAILABLE` fault when it does not answer. */
  checkReady(): Promise<void>;
  close(): Promise<void>;
}

/** Rings for the process that must act on a message, past the outbox. */
export type Ringing = {
  /** How long the row waits for the ring to have an effect, before the ring counts as lost. 0 while nobody can receive it. */
  fallbackMs(): number;
  /** Called after the commit. False: nobody could receive the ring. Must not throw. */
  ring(announced: Announced): boolean;
  /** Called before a commit. Nothing depends on it. Must not throw. */
  ringEarly(early: EarlyRing): void;
};

export type DatabaseOptions = {
  /** Called after each commit with what it rang. Must not throw. */
  onCommitted?: ((doorbells: ReadonlySet<Doorbell>) => void) | undefined;
  /** Called after a commit whose events are known, instead of the doorbell of their log. Must not throw. Without it the doorbell rings. */
  onAppended?: ((sessionId: string, live: LiveEvents) => void) | undefined;
  /** Without it, messages are announced by the outbox alone: its doorbell is `outbox:<subject>`. */
  ringing?: Ringing | undefined;
};
