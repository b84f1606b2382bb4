import type { Announced, Appended, Database, Doorbell, EarlyRing } from '../src/database.ts';

/** A migrated database that is used by one suite; `close` removes what it holds. */
export type OpenedDatabase = {
  db: Database;
  /** Migrates once more, on a new connection; returns the database to continue with. */
  migrateAgain(): Promise<Database>;
  close(): Promise<void>;
};

/** The tools of a suite. Every test creates its own tenants, so that one database serves all. */
export type DatabaseSuite = {
  useDb(): Database;
  /** The doorbells since the last call. */
  takeRung(): Doorbell[];
  /** Additions to session logs that commits reported since the last call. */
  takeAppended(): Appended[];
  /** Reports sent before commits since the last call. */
  takeEarly(): EarlyRing[];
  /** Runs `work` while commits ring, and rows of the outbox wait for `fallbackMs`; answers what was announced. */
  whileRinging(fallbackMs: number, work: () => Promise<unknown>): Promise<Announced[]>;
  migrateAgain(): Promise<void>;
};
