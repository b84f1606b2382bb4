import { randomUUID } from 'node:crypto';
import { type DeliveryStatus, deliverySchema, type Part, type Receipt } from '@attache/contracts';
import { type DeliveryFact, requireDecision } from '@attache/domain';
import { expect, it } from 'vitest';
import type { Database, Tx } from '../../src/database.ts';
import {
  type DeliveryRow,
  describeDelivery,
  findDelivery,
  readDeliveriesOfSession,
} from '../../src/delivery/delivery-reader.ts';
import { stateOf } from '../../src/delivery/delivery-state.ts';
import { applyDecision, applyInTransaction } from '../../src/delivery/delivery-writer.ts';
import type { Fence } from '../../src/session/owner/fence.ts';
import { claimSession } from '../../src/session/owner/session-owner-writer.ts';
import { createDelivery, createPlace, createTenant, newPlan } from '../__fixtures__/database-fixtures.ts';
import { plantedFailure } from '../__fixtures__/take-fact.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const parts: Part[] = [{ type: 'text', text: 'hello' }];
const receipt: Receipt = {
  writtenAt: '2026-01-02T03:04:05.678Z',
  transport: 'acp/stdio',
  proof: 'request 3',
  items: [],
};
const actor = { type: 'key', id: 'key_1' } as const;

const prepare: DeliveryFact = { kind: 'parts-built', parts };
const claim: DeliveryFact = { kind: 'claimed', epoch: 1 };
const write: DeliveryFact = { kind: 'written', epoch: 1 };
const respond: DeliveryFact = { kind: 'responded', epoch: 1, receipt, diagnostic: undefined };
const fail: DeliveryFact = { kind: 'failed', failure: plantedFailure, isForgotten: false };
const ofGateway = new Set(['claimed', 'written', 'responded', 'failed']);

type Walk = {
  tenantId: string;
  sessionId: string;
  deliveryId: string;
  read(): Promise<DeliveryRow>;
  /** Each in a round trip of its own. */
  take(...facts: DeliveryFact[]): Promise<boolean>;
  /** In a transaction, where `row` is what was seen. */
  takeInside(row: DeliveryRow, fact: DeliveryFact): Promise<boolean>;
  inTenant<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
};

async function startWalk(db: Database): Promise<Walk> {
  const place = await createPlace(db);
  const { deliveryId } = await createDelivery(db, place);
  const incarnation = randomUUID();
  const owned = await claimSession(db, { ...place, replicaId: incarnation, incarnation });
  const held: Fence = { incarnation, epoch: owned?.epoch ?? 0 };
  const inTenant: Walk['inTenant'] = (work) => db.asTenant(place.tenantId, work);
  const read = () =>
    inTenant(async (tx) => {
      const row = await findDelivery(tx, deliveryId);
      if (!row) throw new Error('the delivery is gone');
      return row;
    });
  return {
    ...{ tenantId: place.tenantId, sessionId: place.sessionId, deliveryId, inTenant, read },
    async take(...facts) {
      let isMoved = true;
      for (const fact of facts) {
        const fence = ofGateway.has(fact.kind) ? held : undefined;
        isMoved &&= await applyDecision(db, requireDecision(stateOf(await read()), fact), { fence });
      }
      return isMoved;
    },
    takeInside: (row, fact) => inTenant((tx) => applyInTransaction(tx, requireDecision(stateOf(row), fact))),
  };
}

const describeNow = (walk: Walk) => walk.read().then((row) => walk.inTenant((tx) => describeDelivery(tx, row)));

/** A decision counts where the delivery still is as it was decided upon, one mover wins, and every change is a row. */
export function describeDeliveries(suite: DatabaseSuite): void {
  describeMoving(suite);
  describeChanging(suite);
}

function describeMoving({ useDb }: DatabaseSuite): void {
  it('goes from queued to responded, with a timeline row for each step in order [DL-61]', async () => {
    const walk = await startWalk(useDb());
    expect(await walk.take(prepare, claim, write, respond)).toBe(true);
    const delivery = await describeNow(walk);
    expect(deliverySchema.parse(delivery)).toEqual(delivery);
    expect(delivery.receipt).toEqual(receipt);
    expect(delivery.timeline.map(({ status, actor: by, epoch }) => [status, by.id, epoch])).toEqual([
      ['queued', 'ingest', undefined],
      ['prepared', 'projector', undefined],
      ['claimed', 'runner-gateway', 1],
      ['written', 'runner-gateway', 1],
      ['responded', 'runner-gateway', 1],
    ]);
    expect(await walk.read()).toMatchObject({ parts, epoch: 1 });
  });

  it('is moved by one of two that saw the same status; the loser leaves no row', async () => {
    const walk = await startWalk(useDb());
    await walk.take(prepare);
    const seen = await walk.read();
    const cancel: DeliveryFact = { kind: 'cancelled', actor };
    const moved = await Promise.all([walk.takeInside(seen, claim), walk.takeInside(seen, cancel)]);
    expect(moved.toSorted()).toEqual([false, true]);
    expect(await walk.takeInside(seen, claim)).toBe(false);
    expect((await describeNow(walk)).timeline).toHaveLength(3);
  });

  it('fails with a code in its timeline, and is queued again for a new attempt [DL-42]', async () => {
    const walk = await startWalk(useDb());
    await walk.take(prepare, claim, fail);
    const failed = await walk.read();
    expect((await describeNow(walk)).timeline.at(-1)).toMatchObject({
      ...{ status: 'failed', code: plantedFailure.code, attempt: 1 },
    });
    expect(await walk.takeInside(failed, { kind: 'retried', actor })).toBe(true);
    expect(await describeNow(walk)).toMatchObject({ status: 'queued', attempts: 2 });
    expect((await describeNow(walk)).timeline.at(-1)).toMatchObject({ status: 'queued', attempt: 2, actor });
    expect(await walk.read()).toMatchObject({ failure: null, writingAt: null, held: null });
    // The gateway that still holds the first attempt moves nothing.
    await walk.take(prepare);
    expect(await walk.takeInside({ ...failed, status: 'prepared' }, claim)).toBe(false);
  });

  it('is found by session and status, and by no other tenant [S29]', async () => {
    const walk = await startWalk(useDb());
    const ids = (statuses: DeliveryStatus[]) =>
      walk.inTenant(async (tx) => (await readDeliveriesOfSession(tx, walk.sessionId, statuses)).map(({ id }) => id));
    expect(await ids(['queued', 'failed'])).toEqual([walk.deliveryId]);
    expect(await ids(['written'])).toEqual([]);
    const other = await createTenant(useDb());
    expect(await useDb().asTenant(other, (tx) => findDelivery(tx, walk.deliveryId))).toBeUndefined();
    expect(await walk.inTenant((tx) => findDelivery(tx, randomUUID()))).toBeUndefined();
  });
}

function describeChanging({ useDb, takeRung }: DatabaseSuite): void {
  it('gets another plan as a new attempt, without the parts of the old one, and wakes the projector [DL-51]', async () => {
    const walk = await startWalk(useDb());
    await walk.take(prepare);
    const row = await walk.read();
    takeRung();
    const budget = { bytes: { used: 7, limit: 9, resident: 0 } };
    const plan = { ...newPlan(row.agentId), budget };
    expect(await walk.takeInside(row, { kind: 'replanned', plan, targetVersion: 4 })).toBe(true);
    expect(takeRung()).toEqual(['outbox:delivery.queued']);
    expect(await walk.read()).toMatchObject({ status: 'queued', attempts: 2, targetVersion: 4, parts: null, plan });
  });

  it('keeps what no decision names: its plan, its parts and what attempts before left [BX-01]', async () => {
    const walk = await startWalk(useDb());
    await walk.take(prepare, claim);
    const before = await walk.read();
    await walk.take(fail);
    expect(await walk.read()).toEqual({ ...before, status: 'failed', failure: plantedFailure });
  });
}
