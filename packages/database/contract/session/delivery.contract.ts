import { randomUUID } from 'node:crypto';
import { type DeliveryStatus, deliverySchema, type Failure, type Part, type Receipt } from '@attache/contracts';
import { expect, it } from 'vitest';
import type { Database, Tx } from '../../src/database.ts';
import {
  type DeliveryRow,
  describeDelivery,
  findDelivery,
  readDeliveriesOfSession,
} from '../../src/delivery/delivery-reader.ts';
import { deliveryEventData, type Move, moveDelivery } from '../../src/delivery/delivery-writer.ts';
import { createDelivery, createPlace, createTenant } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const parts: Part[] = [{ type: 'text', text: 'hello' }];
const receipt: Receipt = {
  writtenAt: '2026-01-02T03:04:05.678Z',
  transport: 'acp/stdio',
  proof: 'request 3',
  items: [],
};
const failure: Failure = {
  ...{ code: 'delivery_stalled', severity: 'error', retryable: true },
  ...{ userMessage: 'The agent takes no more input. Try again.', diagnostic: 'no drain in 30 s' },
};

const prepare: Move = { to: 'prepared', service: 'projector', set: { parts } };
const claim: Move = { to: 'claimed', service: 'runner-gateway', epoch: 3, set: { epoch: 3 } };
const write: Move = { to: 'written', service: 'runner-gateway', epoch: 3 };
const respond: Move = { to: 'responded', service: 'runner-gateway', epoch: 3, set: { receipt } };

type Walk = {
  tenantId: string;
  sessionId: string;
  deliveryId: string;
  read(): Promise<DeliveryRow>;
  move(...moves: Move[]): Promise<boolean>;
  inTenant<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
};

async function startWalk(db: Database): Promise<Walk> {
  const place = await createPlace(db);
  const { deliveryId } = await createDelivery(db, place);
  const inTenant: Walk['inTenant'] = (work) => db.asTenant(place.tenantId, work);
  const readIn = async (tx: Tx) => {
    const row = await findDelivery(tx, deliveryId);
    if (!row) throw new Error('the delivery is gone');
    return row;
  };
  return {
    ...{ tenantId: place.tenantId, sessionId: place.sessionId, deliveryId, inTenant },
    read: () => inTenant(readIn),
    async move(...moves) {
      let moved = true;
      for (const move of moves) moved &&= await inTenant(async (tx) => moveDelivery(tx, await readIn(tx), move));
      return moved;
    },
  };
}

const describeNow = (walk: Walk) => walk.read().then((row) => walk.inTenant((tx) => describeDelivery(tx, row)));

/** A status changes only as the domain's table allows, one mover wins, and every change is a row. */
export function describeDeliveries(suite: DatabaseSuite): void {
  describeMoving(suite);
}

function describeMoving({ useDb }: DatabaseSuite): void {
  it('goes from queued to responded, with a timeline row for each step in order [DL-61 DL-49]', async () => {
    const walk = await startWalk(useDb());
    expect(await walk.move(prepare, claim, write, respond)).toBe(true);
    const delivery = await describeNow(walk);
    expect(deliverySchema.parse(delivery)).toEqual(delivery);
    expect(delivery.receipt).toEqual(receipt);
    expect(delivery.timeline.map(({ status, actor, epoch }) => [status, actor.id, epoch])).toEqual([
      ['queued', 'ingest', undefined],
      ['prepared', 'projector', undefined],
      ['claimed', 'runner-gateway', 3],
      ['written', 'runner-gateway', 3],
      ['responded', 'runner-gateway', 3],
    ]);
    expect(await walk.read()).toMatchObject({ parts, epoch: 3 });
  });

  it.each<[DeliveryStatus, DeliveryStatus, Move['service']]>([
    ['queued', 'prepared', 'ingest'],
    ['queued', 'claimed', 'runner-gateway'],
    ['prepared', 'claimed', 'projector'],
    ['written', 'responded', 'projector'],
    ['written', 'cancelled', 'ingest'],
    ['responded', 'queued', 'ingest'],
  ])('refuses what the table in domain forbids: %s → %s by %s', async (from, to, service) => {
    const walk = await startWalk(useDb());
    const steps = [prepare, claim, write, respond];
    await walk.move(...steps.slice(0, 1 + steps.findIndex((step) => step.to === from)));
    await expect(walk.move({ to, service })).rejects.toThrow(
      `${service} may not move a delivery from ${from} to ${to}`,
    );
    expect((await walk.read()).status).toBe(from);
  });

  it('is moved by one of two that saw the same status; the loser leaves no row', async () => {
    const walk = await startWalk(useDb());
    await walk.move(prepare);
    const seen = await walk.read();
    const moveSeen = (move: Move) => walk.inTenant((tx) => moveDelivery(tx, seen, move));
    const moved = await Promise.all([moveSeen(claim), moveSeen({ to: 'cancelled', service: 'ingest' })]);
    expect(moved.toSorted()).toEqual([false, true]);
    expect(await moveSeen(claim)).toBe(false);
    expect((await describeNow(walk)).timeline).toHaveLength(3);
  });

  it('fails with a code in its timeline, and is queued again for a new attempt [DL-42]', async () => {
    const walk = await startWalk(useDb());
    await walk.move(prepare, claim, { to: 'failed', service: 'runner-gateway', code: failure.code, set: { failure } });
    const failed = await walk.read();
    expect((await describeNow(walk)).timeline.at(-1)).toMatchObject({
      status: 'failed',
      code: failure.code,
      attempt: 1,
    });
    const actor = { type: 'service', id: 'ingest' } as const;
    const retry: Move = {
      to: 'queued',
      service: 'ingest',
      actor,
      set: { attempts: 2, failure: null, writingAt: null },
    };
    expect(await walk.move(retry)).toBe(true);
    expect(await describeNow(walk)).toMatchObject({ status: 'queued', attempts: 2 });
    expect((await describeNow(walk)).timeline.at(-1)).toMatchObject({ status: 'queued', attempt: 2 });
    expect(deliveryEventData(await walk.read()).attempt).toBe(2);
    // The gateway that still holds the first attempt moves nothing.
    await walk.move(prepare);
    expect(await walk.inTenant((tx) => moveDelivery(tx, { ...failed, status: 'prepared' }, claim))).toBe(false);
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
