import { randomUUID } from 'node:crypto';
import type { Part } from '@attache/contracts';
import { type DeliveryFact, type Held, heldNothing, requireDecision } from '@attache/domain';
import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { type DeliveryRow, describeDelivery, findDelivery } from '../../src/delivery/delivery-reader.ts';
import { stateOf } from '../../src/delivery/delivery-state.ts';
import { applyDecision, applyInTransaction, type Conditions } from '../../src/delivery/delivery-writer.ts';
import { markWriting } from '../../src/delivery/mark-writing.ts';
import { outbox as outboxTable } from '../../src/schema.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import type { Fence } from '../../src/session/owner/fence.ts';
import { claimSession } from '../../src/session/owner/session-owner-writer.ts';
import { createDelivery, createPlace, traceId } from '../__fixtures__/database-fixtures.ts';
import { plantedFailure } from '../__fixtures__/take-fact.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const parts: Part[] = [{ type: 'text', text: 'hello' }];
const measured: Held = { bytes: 4321, pixels: 20, images: 1, pages: 0 };

type Stage = {
  db: Database;
  fence: Fence;
  read(): Promise<DeliveryRow>;
  prepare(eventId?: string): Promise<boolean>;
  take(to: 'claimed' | 'written', fence?: Fence): Promise<boolean>;
  fail(): Promise<boolean>;
  mark(fence?: Fence): Promise<boolean>;
};

async function openStage(db: Database): Promise<Stage> {
  const place = await createPlace(db);
  const { deliveryId } = await createDelivery(db, place);
  const incarnation = randomUUID();
  const claim = await claimSession(db, { ...place, replicaId: incarnation, incarnation });
  const held: Fence = { incarnation, epoch: claim?.epoch ?? 0 };
  const read = () =>
    db.asTenant(place.tenantId, async (tx) => {
      const row = await findDelivery(tx, deliveryId);
      if (!row) throw new Error('the delivery is gone');
      return row;
    });
  const step = (row: DeliveryRow, fact: DeliveryFact, conditions: Conditions) =>
    applyDecision(db, requireDecision(stateOf(row), fact), conditions);
  return {
    db,
    fence: held,
    read,
    prepare: async (eventId = randomUUID()) =>
      step(await read(), { kind: 'parts-built', parts }, { handledEventId: eventId }),
    async take(to, fence = held) {
      // The caller saw it before the move, as one that asks again after a lost answer does.
      const row = await read();
      const from = to === 'claimed' ? 'prepared' : 'claimed';
      return step({ ...row, status: from }, { kind: to, epoch: fence.epoch }, { fence });
    },
    async fail() {
      const row = await read();
      // Asked again after a lost answer, too.
      const status = row.status === 'failed' ? 'claimed' : row.status;
      return step({ ...row, status }, { kind: 'failed', failure: plantedFailure, isForgotten: true }, { fence: held });
    },
    mark: async (fence = held) => {
      const { outcome } = await markWriting(
        db,
        await read(),
        { attachmentIds: [], targetVersion: 1, held: measured },
        fence,
      );
      return outcome === 'marked';
    },
  };
}

/** The moves of a delivery that are one round trip each. */
export function describeDeliverySteps(suite: DatabaseSuite): void {
  describeStepping(suite);
  describeMarking(suite);
  describeReleaseBefore(suite);
}

function describeStepping({ useDb, takeRung }: DatabaseSuite): void {
  it('moves with parts, agent, timeline, event and outbox, all at once [DL-61 AT-02]', async () => {
    const stage = await openStage(useDb());
    takeRung();
    expect(await stage.prepare()).toBe(true);
    const row = await stage.read();
    expect(takeRung()).toEqual([`log:${row.sessionId}`, 'outbox:delivery.prepared']);
    expect(row).toMatchObject({ status: 'prepared', parts });
    expect(await stage.take('claimed')).toBe(true);
    expect(await stage.take('written')).toBe(true);
    const written = await stage.read();
    const { timeline } = await stage.db.asTenant(row.tenantId, (tx) => describeDelivery(tx, written));
    expect(timeline.map(({ status, actor: by, epoch }) => [status, by.id, epoch])).toEqual([
      ['queued', 'ingest', undefined],
      ['prepared', 'projector', undefined],
      ['claimed', 'runner-gateway', stage.fence.epoch],
      ['written', 'runner-gateway', stage.fence.epoch],
    ]);
  });

  it('says the same when it is asked again after a lost answer, and adds nothing [W4]', async () => {
    const stage = await openStage(useDb());
    await stage.prepare();
    expect([await stage.take('claimed'), await stage.take('claimed')]).toEqual([true, true]);
    expect([await stage.take('written'), await stage.take('written')]).toEqual([true, true]);
    const { tenantId, sessionId } = await stage.read();
    const events = await readEvents(stage.db, { tenantId, sessionId, afterSeq: 0, limit: 100 });
    const kinds = events.map(({ kind }) => kind).filter((kind) => kind.startsWith('delivery.'));
    expect(kinds).toEqual(['delivery.prepared', 'delivery.claimed', 'delivery.written']);
  });

  it('handles an event once, however often it comes [W8]', async () => {
    const stage = await openStage(useDb());
    const eventId = randomUUID();
    expect(await stage.prepare(eventId)).toBe(true);
    const row = await stage.read();
    const again = requireDecision(stateOf({ ...row, status: 'queued' }), { kind: 'parts-built', parts });
    expect(await applyDecision(stage.db, again, { handledEventId: eventId })).toBe(false);
  });

  it('refuses a lower epoch and a stranger, and changes nothing [BX-16]', async () => {
    const stage = await openStage(useDb());
    await stage.prepare();
    const { tenantId, sessionId } = await stage.read();
    const next = { replicaId: randomUUID(), incarnation: randomUUID() };
    await claimSession(stage.db, { tenantId, sessionId, ...next });
    await expect(stage.take('claimed')).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
    await expect(stage.mark()).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
    expect((await stage.read()).status).toBe('prepared');
  });

  it('fails under the fence with its code, once, however often it is asked [W4]', async () => {
    const stage = await openStage(useDb());
    await stage.prepare();
    await stage.take('claimed');
    await stage.mark();
    expect([await stage.fail(), await stage.fail()]).toEqual([true, true]);
    const failed = await stage.read();
    expect(failed).toMatchObject({ status: 'failed', failure: plantedFailure, held: heldNothing, parts });
    const { timeline } = await stage.db.asTenant(failed.tenantId, (tx) => describeDelivery(tx, failed));
    expect(timeline.map(({ status, code, epoch }) => [status, code, epoch]).slice(3)).toEqual([
      ['failed', plantedFailure.code, stage.fence.epoch],
    ]);
    const events = await readEvents(stage.db, { ...failed, afterSeq: 0, limit: 100 });
    expect(events.at(-1)).toMatchObject({ kind: 'delivery.failed', data: { failure: plantedFailure } });
  });
}

function describeMarking({ useDb }: DatabaseSuite): void {
  const cancel = async (stage: Stage) => {
    // The caller saw it before its first byte.
    const row = { ...(await stage.read()), writingAt: null };
    const decision = requireDecision(stateOf(row), { kind: 'cancelled', actor: { type: 'service', id: 'ingest' } });
    return stage.db.asTenant(row.tenantId, (tx) => applyInTransaction(tx, decision));
  };

  it('is marked before the first byte, and only while claimed [W16 DL-61]', async () => {
    const stage = await openStage(useDb());
    expect(await stage.mark()).toBe(false);
    await stage.prepare();
    expect(await stage.mark()).toBe(false);
    await stage.take('claimed');
    expect(await stage.mark()).toBe(true);
    const { writingAt, held } = await stage.read();
    expect(writingAt).toBeInstanceOf(Date);
    expect(held).toEqual(measured);
    expect(await stage.mark()).toBe(true);
    expect((await stage.read()).writingAt).toEqual(writingAt);
  });

  it('is not cancelled once a byte may have been written [W16]', async () => {
    const stage = await openStage(useDb());
    await stage.prepare();
    await stage.take('claimed');
    await stage.mark();
    expect(await cancel(stage)).toBe(false);
    expect((await stage.read()).status).toBe('claimed');
  });

  it('is cancelled where no byte was written, and nothing is written afterwards [W16]', async () => {
    const stage = await openStage(useDb());
    await stage.prepare();
    await stage.take('claimed');
    expect(await cancel(stage)).toBe(true);
    expect(await stage.mark()).toBe(false);
  });
}

function describeReleaseBefore({ useDb }: DatabaseSuite): void {
  it('takes the arguments of a process of the release before', async () => {
    const { db, fence, read } = await openStage(useDb());
    const { tenantId, sessionId, id: deliveryId, agentId } = await read();
    const always = { tenantId, sessionId, deliveryId, agentId, attempts: 1, traceId, events: [] };
    const step = (given: object) =>
      db.call(sql`select attache_step_delivery(${JSON.stringify({ ...always, ...given })}::jsonb)`);
    const actor = { type: 'service', id: 'projector' };
    const outbox = { id: randomUUID(), subject: 'delivery.prepared', trace: null };
    const moved = { outcome: 'moved' };
    expect(await step({ from: 'queued', to: 'prepared', actor, parts, outbox })).toEqual(moved);
    expect(await step({ from: 'prepared', to: 'claimed', actor, fence, agentStatus: 'busy' })).toEqual(moved);
    expect(await step({ from: 'claimed', to: 'written', actor, fence })).toEqual(moved);
    const receipt = { transport: 'acp/stdio', items: [] };
    expect(await step({ from: 'written', to: 'responded', actor, fence, receipt })).toEqual(moved);
    expect(await read()).toMatchObject({ status: 'responded', attempts: 1, parts, receipt });
    const told = await db.asWorker((tx) =>
      tx.select({ data: outboxTable.data }).from(outboxTable).where(eq(outboxTable.id, outbox.id)),
    );
    expect(told).toEqual([{ data: { tenantId, sessionId, deliveryId, agentId } }]);
  });
}
