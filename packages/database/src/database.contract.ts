import { afterAll, beforeAll, describe } from 'vitest';
import { describeAttachments } from './attachment.contract.ts';
import type { Database, DatabaseOptions, Doorbell } from './database.ts';
import { describeDeliveries } from './delivery.contract.ts';
import { describeIdempotency } from './idempotency.contract.ts';
import { describeMessages } from './message.contract.ts';
import { describeMigrations } from './migrations.contract.ts';
import { describeOutbox } from './outbox.contract.ts';
import { describeOwnership } from './ownership.contract.ts';
import { describeRecords } from './records.contract.ts';
import { describeRoles } from './roles.contract.ts';
import { describeSessionLog } from './session-log.contract.ts';
import { describeTenantIsolation } from './tenant-isolation.contract.ts';
import { describeTransactions } from './transactions.contract.ts';
import { describeUploads } from './upload.contract.ts';

/** A migrated database that is used by one suite; `close` removes what it holds. */
export type OpenedDatabase = {
  db: Database;
  /** Migrates once more, on a new connection; answers the database to go on with. */
  migrateAgain(): Promise<Database>;
  close(): Promise<void>;
};

/** What a suite sees. Every test makes tenants of its own, so that one database serves all. */
export type DatabaseSuite = {
  useDb(): Database;
  /** What was rung since the last call. */
  takeRung(): Doorbell[];
  migrateAgain(): Promise<void>;
};

/** What every database does, on a real one. */
export function describeDatabase(name: string, open: (options: DatabaseOptions) => Promise<OpenedDatabase>): void {
  describe(`${name}: database contract`, () => {
    let opened: OpenedDatabase | undefined;
    let rung: Doorbell[] = [];
    const useOpened = (): OpenedDatabase => {
      if (!opened) throw new Error('The database is not open.');
      return opened;
    };
    beforeAll(async () => {
      opened = await open({ onCommitted: (doorbells) => rung.push(...doorbells) });
    }, 60_000);
    afterAll(() => opened?.close());
    const suite: DatabaseSuite = {
      useDb: () => useOpened().db,
      takeRung() {
        const taken = rung;
        rung = [];
        return taken;
      },
      async migrateAgain() {
        useOpened().db = await useOpened().migrateAgain();
      },
    };
    describe('tenants', () => describeTenantIsolation(suite));
    describe('roles', () => describeRoles(suite));
    describe('transactions', () => describeTransactions(suite));
    describe('session log', () => describeSessionLog(suite));
    describe('uploads', () => describeUploads(suite));
    describe('idempotency keys', () => describeIdempotency(suite));
    describe('attachments', () => describeAttachments(suite));
    describe('messages', () => describeMessages(suite));
    describe('deliveries', () => describeDeliveries(suite));
    describe('outbox', () => describeOutbox(suite));
    describe('ownership', () => describeOwnership(suite));
    describe('records', () => describeRecords(suite));
    describe('migrations', () => describeMigrations(suite));
  });
}
