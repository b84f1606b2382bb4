import { afterAll, beforeAll, describe } from 'vitest';
import { describeAttachments } from './attachment.contract.ts';
import { describeCalls } from './call.contract.ts';
import type { DatabaseOptions, Doorbell } from './database.ts';
import type { DatabaseSuite, OpenedDatabase } from './database-suite.contract.ts';
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

export type { OpenedDatabase } from './database-suite.contract.ts';
export { copyPgliteFolder } from './pglite-folder.contract.ts';

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
    describe('calls', () => describeCalls(suite));
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
