import type { Announced, Appended, Database, Doorbell, EarlyRing } from '../src/database.ts';

/** A migrated database that is used by one suite; `close` removes what it holds. */
export type OpenedDatabase = {
  db: Database;
  /** Migrates once more, on a new connection; answers the database to continue with. */
  migrateAgain(): Promise<Database>;
  close(): Promise<void>;
};

/** What a suite sees. Every test makes tenants of its own, so that one database serves all. */
export type DatabaseSuite = {
  useDb(): Database;
  /** What was rung since the last call. */
  takeRung(): Doorbell[];
  /** What commits told of session logs since the last call. */
  takeAppended(): Appended[];
  /** What was told before commits since the last call. */
  takeEarly(): EarlyRing[];
  /** Runs `work` while commits ring, and rows of the outbox wait for `fallbackMs`; answers what was announced. */
  whileRinging(fallbackMs: number, work: () => Promise<unknown>): Promise<Announced[]>;
  migrateAgain(): Promise<void>;
};
