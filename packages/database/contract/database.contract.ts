import { afterAll, beforeAll, describe } from 'vitest';
import type { Announced, Appended, DatabaseOptions, Doorbell, EarlyRing } from '../src/database.ts';
import { describeAttachments } from './attachment/attachment.contract.ts';
import { describeDeduplication } from './attachment/deduplication.contract.ts';
import { describeGrants } from './attachment/grant.contract.ts';
import { describeKeyPools } from './attachment/key-pool.contract.ts';
import { describeQuota } from './attachment/quota.contract.ts';
import { describeRungAttachments } from './attachment/rung-attachment.contract.ts';
import { describeUploads } from './attachment/upload.contract.ts';
import { describeCalls } from './connection/call.contract.ts';
import { describeForeignKeys } from './connection/foreign-keys.contract.ts';
import { describeIsolationAttacks } from './connection/isolation-attacks.contract.ts';
import { describeMigrations } from './connection/migrations.contract.ts';
import { describeOneTripReads } from './connection/one-trip-reads.contract.ts';
import { describePruningBatches } from './connection/pruning-batches.contract.ts';
import { describeRaces } from './connection/races.contract.ts';
import { describeRoles } from './connection/roles.contract.ts';
import { describeTenantIsolation } from './connection/tenant-isolation.contract.ts';
import { describeTransactions } from './connection/transactions.contract.ts';
import { describeTurns } from './connection/turns.contract.ts';
import type { DatabaseSuite, OpenedDatabase } from './database-suite.contract.ts';
import { describeAnnouncements } from './outbox/announce.contract.ts';
import { describeBurials } from './outbox/bury-message.contract.ts';
import { describeOutbox } from './outbox/outbox.contract.ts';
import { describeRelay } from './outbox/relay.contract.ts';
import { describeDeadLetters } from './outbox/relay-dead-letter.contract.ts';
import { describeCheckpoints } from './session/checkpoint.contract.ts';
import { describeDeliveries } from './session/delivery.contract.ts';
import { describeDeliverySteps } from './session/delivery-steps.contract.ts';
import { describeFencedStatements } from './session/fenced-statements.contract.ts';
import { describeMessages } from './session/message.contract.ts';
import { describeOwnerWrites } from './session/owner-writes.contract.ts';
import { describeOwnership } from './session/ownership.contract.ts';
import { describePlacement } from './session/placement.contract.ts';
import { describePreparedMessages, describeRungHeads } from './session/prepared-message.contract.ts';
import { describePruning } from './session/pruning.contract.ts';
import { describeQuarantine } from './session/quarantine.contract.ts';
import { describeReading } from './session/reading.contract.ts';
import { describeRecords } from './session/records.contract.ts';
import { describeResidentSums } from './session/resident.contract.ts';
import { describeSessionLog } from './session/session-log.contract.ts';
import { describeTakeovers } from './session/takeover.contract.ts';
import { describeApiKeys } from './tenancy/api-key.contract.ts';
import { describeAudit } from './tenancy/audit.contract.ts';
import { describeCapabilities } from './tenancy/capability.contract.ts';
import { describeContradictions } from './tenancy/contradiction.contract.ts';
import { describeIdempotency } from './tenancy/idempotency.contract.ts';
import { describeOrigins } from './tenancy/origin.contract.ts';
import { describeSecrets } from './tenancy/secret.contract.ts';
import { describeTenants } from './tenancy/tenant.contract.ts';
import { describeUse } from './use/use.contract.ts';

export { countRoundTrips } from './__fixtures__/count-round-trips.ts';
export {
  countForPlans,
  createAgent,
  createAttachment,
  createDelivery,
  createPlace,
  createSession,
  newMessage,
  newRecord,
  newReservation,
  type Place,
} from './__fixtures__/database-fixtures.ts';
export { passMillisecond } from './__fixtures__/pass-millisecond.ts';
export { openSpecDatabase, type SpecDatabase } from './__fixtures__/spec-database.ts';
export { plantedFailure, takeFact } from './__fixtures__/take-fact.ts';
export { readUsage, sumUsage, type Usage } from './__fixtures__/usage.ts';
export type { OpenedDatabase } from './database-suite.contract.ts';
export { copyPgliteFolder } from './pglite-folder.contract.ts';

/** Behaviour that every database must show, tested on a real one. */
export function describeDatabase(name: string, open: (options: DatabaseOptions) => Promise<OpenedDatabase>): void {
  describe(`${name}: database contract`, () => {
    let opened: OpenedDatabase | undefined;
    let rung: Doorbell[] = [];
    const appended: Appended[] = [];
    const ringing = { fallbackMs: 0, announced: [] as Announced[] };
    const early: EarlyRing[] = [];
    const useOpened = (): OpenedDatabase => {
      if (!opened) throw new Error('The database is not open.');
      return opened;
    };
    beforeAll(async () => {
      opened = await open({
        onCommitted: (doorbells) => rung.push(...doorbells),
        onAppended: (sessionId, live) => appended.push({ sessionId, live }),
        ringing: {
          fallbackMs: () => ringing.fallbackMs,
          ring(announced) {
            if (ringing.fallbackMs > 0) ringing.announced.push(announced);
            return ringing.fallbackMs > 0;
          },
          ringEarly: (one) => void early.push(one),
        },
      });
    });
    afterAll(() => opened?.close());
    const suite: DatabaseSuite = {
      useDb: () => useOpened().db,
      takeRung() {
        const taken = rung;
        rung = [];
        return taken;
      },
      takeAppended: () => appended.splice(0),
      takeEarly: () => early.splice(0),
      async whileRinging(fallbackMs, work) {
        Object.assign(ringing, { fallbackMs, announced: [] });
        await work().finally(() => {
          ringing.fallbackMs = 0;
        });
        return ringing.announced;
      },
      async migrateAgain() {
        useOpened().db = await useOpened().migrateAgain();
      },
    };
    describe('tenants', () => describeTenantIsolation(suite));
    describe('a hostile statement', () => describeIsolationAttacks(suite));
    describe('roles', () => describeRoles(suite));
    describe('transactions', () => describeTransactions(suite));
    describe('connections', () => describeTurns(suite));
    describe('foreign keys', () => describeForeignKeys(suite));
    describe('calls', () => describeCalls(suite));
    describe('capabilities', () => describeCapabilities(suite));
    describe('reads in one trip', () => describeOneTripReads(suite));
    describe('session log', () => describeSessionLog(suite));
    describe('uploads', () => describeUploads(suite));
    describe('attachments that are rung for', () => describeRungAttachments(suite));
    describe('de-duplication', () => describeDeduplication(suite));
    describe('quota', () => describeQuota(suite));
    describe('pools of keys', () => describeKeyPools(suite));
    describe('idempotency keys', () => describeIdempotency(suite));
    describe('attachments', () => describeAttachments(suite));
    describe('grants', () => describeGrants(suite));
    describe('messages', () => describeMessages(suite));
    describe('messages for which nothing is to be made', () => describePreparedMessages(suite));
    describe('heads of lines that are rung for', () => describeRungHeads(suite));
    describe('deliveries', () => describeDeliveries(suite));
    describe('steps of a delivery', () => describeDeliverySteps(suite));
    describe('writes of an owner', () => describeOwnerWrites(suite));
    describe('what an agent holds', () => describeResidentSums(suite));
    describe('checkpoints', () => describeCheckpoints(suite));
    describe('quarantine', () => describeQuarantine(suite));
    describe('contradictions', () => describeContradictions(suite));
    describe('outbox', () => describeOutbox(suite));
    describe('announcements', () => describeAnnouncements(suite));
    describe('relay', () => describeRelay(suite));
    describe('dead letters', () => describeDeadLetters(suite));
    describe('deaths', () => describeBurials(suite));
    describe('ownership', () => describeOwnership(suite));
    describe('takeovers', () => describeTakeovers(suite));
    describe('placement', () => describePlacement(suite));
    describe('statements behind the fence', () => describeFencedStatements(suite));
    describe('api keys', () => describeApiKeys(suite));
    describe('tenants kept', () => describeTenants(suite));
    describe('secrets', () => describeSecrets(suite));
    describe('origins', () => describeOrigins(suite));
    describe('use', () => describeUse(suite));
    describe('audit log', () => describeAudit(suite));
    describe('races', () => describeRaces(suite));
    describe('reading back', () => describeReading(suite));
    describe('records', () => describeRecords(suite));
    describe('pruning', () => describePruning(suite));
    describe('steps of pruning', () => describePruningBatches(suite));
    describe('migrations', () => describeMigrations(suite));
  });
}
