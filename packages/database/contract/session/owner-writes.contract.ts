import { randomUUID } from 'node:crypto';
import { idFromUuid, type Receipt } from '@attache/contracts';
import { type DeliveryFact, type Held, requireDecision } from '@attache/domain';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { deleteAttachment } from '../../src/attachment/attachment-writer.ts';
import { revokeGrant } from '../../src/attachment/grant-writer.ts';
import type { Database } from '../../src/database.ts';
import {
  type DeliveryRow,
  describeDelivery,
  findDelivery,
  readNextDelivery,
} from '../../src/delivery/delivery-reader.ts';
import { stateOf } from '../../src/delivery/delivery-state.ts';
import { composeOwnerWrite, type OwnerWrite, writeAsOwner } from '../../src/delivery/owner-writes.ts';
import { accessGrant } from '../../src/schema.ts';
import type { NewEvent } from '../../src/session/append-events.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import type { Fence } from '../../src/session/owner/fence.ts';
import { claimSession } from '../../src/session/owner/session-owner-writer.ts';
import {
  createAgent,
  createAttachment,
  createDelivery,
  createPlace,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import { createPrepared } from '../__fixtures__/prepare-delivery.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const event: NewEvent = { kind: 'session.ended', actor: { type: 'service', id: 'runner-gateway' }, data: {} };
const held: Held = { bytes: 4321, pixels: 20, images: 1, pages: 0 };
const receipt: Receipt = {
  ...{ writtenAt: '2026-01-01T00:00:00.000Z', respondedAt: '2026-01-01T00:00:01.000Z' },
  ...{ transport: 'acp/stdio', proof: 'its answer', items: [] },
};

async function own(db: Database, place: Place): Promise<Fence> {
  const incarnation = randomUUID();
  const claim = await claimSession(db, { ...place, replicaId: incarnation, incarnation });
  return { incarnation, epoch: claim?.epoch ?? 0 };
}

/** A session that is owned, with a prepared delivery that names an attachment. */
async function openStage(db: Database) {
  const place = await createPlace(db);
  const { attachmentId } = await createAttachment(db, place);
  const deliveryId = await createPrepared(db, place, [attachmentId]);
  const fence = await own(db, place);
  const { tenantId, sessionId } = place;
  const read = (id = deliveryId) =>
    db.asTenant(tenantId, async (tx) => {
      const row = await findDelivery(tx, id);
      if (!row) throw new Error('the delivery is gone');
      return row;
    });
  const compose = (writes: readonly OwnerWrite[]) => writes.map(composeOwnerWrite);
  const write = (writes: ReturnType<typeof compose>, { isRepeated = false, by = fence } = {}) =>
    writeAsOwner(db, { session: { tenantId, sessionId }, fence: by, writes, isRepeated });
  const commit = async (...given: Parameters<typeof write>) => (await write(...given)).outcomes;
  const readKinds = async () =>
    (await readEvents(db, { ...place, afterSeq: 0, limit: 100 }))
      .map(({ kind }) => kind)
      .filter((kind) => /^delivery\.(claimed|written|responded)|^session\.ended/.test(kind));
  return { db, place, attachmentId, deliveryId, fence, read, compose, write, commit, readKinds };
}

const moveOf = (row: DeliveryRow, fact: DeliveryFact) => ({ decision: requireDecision(stateOf(row), fact) });

const begin = (row: DeliveryRow, { epoch }: Fence, attachmentIds: string[] = []): OwnerWrite => ({
  ...moveOf(row, { kind: 'claimed', epoch }),
  writing: { attachmentIds, targetVersion: 1, held },
});

/** A whole turn: as a delivery that was prepared is brought and answered. */
function composeTurn(row: DeliveryRow, fence: Fence): OwnerWrite[] {
  const { epoch } = fence;
  return [
    begin(row, fence),
    moveOf({ ...row, status: 'claimed', writingAt: new Date() }, { kind: 'written', epoch }),
    { events: [event, event] },
    moveOf({ ...row, status: 'written' }, { kind: 'responded', epoch, receipt, diagnostic: undefined }),
  ];
}

/** Writes of a session's owner, many at a time. */
export function describeOwnerWrites(suite: DatabaseSuite): void {
  describeOrder(suite);
  describeBeginning(suite);
  describeRepeats(suite);
  describeNext(suite);
  describeLive(suite);
}

function describeOrder({ useDb, takeRung }: DatabaseSuite): void {
  it('are committed together, in their order, each with its own time [DL-61]', async () => {
    const { db, place, fence, read, compose, commit, readKinds } = await openStage(useDb());
    const composed = compose(composeTurn(await read(), fence));
    const aged = composed.map((write, index) => ({
      ...write,
      happenedAtMs: performance.now() - 4_000 + 1_000 * index,
    }));
    takeRung();
    expect(await commit(aged)).toEqual(Array(4).fill({ outcome: 'written' }));
    // Its caller rings, with what came into the log.
    expect(takeRung()).toEqual([]);
    const row = await read();
    expect(row).toMatchObject({ status: 'responded', held, receipt });
    expect(await readKinds()).toEqual([
      ...['delivery.claimed', 'delivery.written', 'session.ended', 'session.ended', 'delivery.responded'],
    ]);
    const { timeline } = await db.asTenant(place.tenantId, (tx) => describeDelivery(tx, row));
    expect(timeline.map(({ status }) => status)).toEqual(['queued', 'prepared', 'claimed', 'written', 'responded']);
    const [claimedAt = 0, writtenAt = 0, respondedAt = 0] = timeline.slice(2).map(({ at }) => Date.parse(at));
    expect([writtenAt - claimedAt, respondedAt - writtenAt]).toEqual([1_000, 2_000]);
  });

  it('are taken from a process of the release before, whose writes carry their own ages', async () => {
    const { db, place, fence, compose, readKinds } = await openStage(useDb());
    const { tenantId, sessionId } = place;
    const writes = compose([{ events: [event] }]).map(({ json }) => ({ ...JSON.parse(json), ageMs: 60_000 }));
    const parameters = JSON.stringify({ tenantId, sessionId, fence, isRepeated: false, writes });
    const outcomes = await db.call(sql`select attache_write_as_owner(${parameters}::jsonb)`, {
      doorbells: [],
      tenantId,
    });
    expect(outcomes).toEqual([{ outcome: 'written' }]);
    expect(await readKinds()).toEqual(['session.ended']);
    const [last] = (await readEvents(db, { ...place, afterSeq: 0, limit: 100 })).slice(-1);
    expect(Date.now() - Date.parse(String(last?.at))).toBeGreaterThanOrEqual(60_000);
  });

  it('leave out what someone else moved first, and nothing beside it', async () => {
    const { read, fence, compose, commit, readKinds } = await openStage(useDb());
    const row = await read();
    const stale = moveOf({ ...row, status: 'claimed', writingAt: null }, { kind: 'written', epoch: fence.epoch });
    const outcomes = await commit(compose([{ events: [event] }, stale, begin(row, fence)]));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['written', 'stale', 'written']);
    expect(await readKinds()).toEqual(['session.ended', 'delivery.claimed']);
  });

  it('of several agents wait for nobody who waits for them [DL-61]', async () => {
    const { db, place, fence, read, compose, commit } = await openStage(useDb());
    const other = { ...place, agentId: await createAgent(db, place) };
    const ids = [await createPrepared(db, other), await createPrepared(db, place)];
    const rows = [await read(), ...(await Promise.all(ids.map((id) => read(id))))];
    const writes = rows.filter((row) => row.id !== ids[1]).map((row) => begin(row, fence));
    const both = [commit(compose(writes)), commit(compose([...writes].reverse()))];
    const outcomes = (await Promise.all(both)).flat().map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['stale', 'stale', 'written', 'written']);
  });

  it('change nothing for a lower epoch [BX-16]', async () => {
    const { db, place, read, fence, compose, commit, readKinds } = await openStage(useDb());
    const row = await read();
    await own(db, place);
    const writes = compose([{ events: [event] }, begin(row, fence)]);
    await expect(commit(writes)).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
    expect([await readKinds(), (await read()).status]).toEqual([[], 'prepared']);
  });
}

function describeBeginning({ useDb }: DatabaseSuite): void {
  it('claim with the mark of the first byte, in one step [DL-61]', async () => {
    const { read, fence, attachmentId, compose, commit } = await openStage(useDb());
    expect(await commit(compose([begin(await read(), fence, [attachmentId])]))).toEqual([{ outcome: 'written' }]);
    expect(await read()).toMatchObject({ status: 'claimed', held, writingAt: expect.any(Date) });
  });

  it('do not begin one whose attachment is gone, whose grant ended or whose target changed [SR-28 BX-09]', async () => {
    const { db, place, read, fence, attachmentId, compose, commit, readKinds } = await openStage(useDb());
    const row = await read();
    const elsewhere: OwnerWrite = {
      ...moveOf(row, { kind: 'claimed', epoch: fence.epoch }),
      writing: { attachmentIds: [], targetVersion: 2, held },
    };
    expect(await commit(compose([elsewhere]))).toEqual([{ outcome: 'target-changed' }]);
    await db.asTenant(place.tenantId, async (tx) => {
      for (const { id } of await tx.select().from(accessGrant)) await revokeGrant(tx, place.sessionId, id);
    });
    expect(await commit(compose([begin(row, fence, [attachmentId])]))).toEqual([
      { outcome: 'not-granted', attachmentId },
    ]);
    await db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, attachmentId));
    expect(await commit(compose([{ events: [event] }, begin(row, fence, [attachmentId])]))).toEqual([
      { outcome: 'written' },
      { outcome: 'attachment-gone', attachmentId },
    ]);
    expect([await readKinds(), (await read()).status, (await read()).writingAt]).toEqual([
      ['session.ended'],
      'prepared',
      null,
    ]);
  });
}

function describeRepeats({ useDb }: DatabaseSuite): void {
  it('are committed once, however often they are tried after a lost answer [W4]', async () => {
    const { read, fence, compose, commit, readKinds } = await openStage(useDb());
    const writes = compose(composeTurn(await read(), fence));
    const first = await commit(writes);
    const kinds = await readKinds();
    expect(await commit(writes, { isRepeated: true })).toEqual(first);
    expect(await readKinds()).toEqual(kinds);
    // The same events in a new write are other events.
    await commit(compose([{ events: [event] }]), { isRepeated: true });
    expect(await readKinds()).toEqual([...kinds, 'session.ended']);
  });

  it('say the same of what was left out, where the answer was lost [W4]', async () => {
    const { db, place, attachmentId, read, fence, compose, commit } = await openStage(useDb());
    const row = await read();
    await db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, attachmentId));
    const stale = moveOf({ ...row, status: 'claimed', writingAt: null }, { kind: 'written', epoch: fence.epoch });
    const writes = compose([{ events: [event] }, stale, begin(row, fence, [attachmentId])]);
    const first = await commit(writes);
    expect(first.map(({ outcome }) => outcome)).toEqual(['written', 'stale', 'attachment-gone']);
    expect(await commit(writes, { isRepeated: true })).toEqual(first);
  });
}

function describeNext({ useDb }: DatabaseSuite): void {
  const askNext = (writes: OwnerWrite[]) =>
    writes.map((write) => ('decision' in write && !write.writing ? { ...write, answersNext: true } : write));

  it('answer what an agent is to get next, as it is behind the move [DL-61]', async () => {
    const { db, place, attachmentId, read, fence, compose, commit } = await openStage(useDb());
    const nextId = await createPrepared(db, place, [attachmentId]);
    await createPrepared(db, place);
    await createPrepared(db, { ...place, agentId: await createAgent(db, place) });
    const [begun, written, said, responded] = await commit(compose(askNext(composeTurn(await read(), fence))));
    // The delivery itself is the first in its line until it has its answer.
    expect([begun, written, said]).toEqual([{ outcome: 'written' }, { outcome: 'written', next: null }, begun]);
    const next = await readNextDelivery(db, place);
    expect(next).toMatchObject({ row: { id: nextId, status: 'prepared' }, attachments: [{ id: attachmentId }] });
    expect(responded).toEqual({ outcome: 'written', next });
  });

  it('answer that nothing is next where nothing waits, or its first is not prepared yet', async () => {
    for (const isQueued of [false, true]) {
      const { db, place, read, fence, compose, commit } = await openStage(useDb());
      if (isQueued) await createDelivery(db, place);
      if (isQueued) await createPrepared(db, place);
      const outcomes = await commit(compose(askNext(composeTurn(await read(), fence))));
      expect(outcomes.at(-1)).toEqual({ outcome: 'written', next: null });
    }
  });

  it('say nothing of what is next where the answer was lost, or someone else moved it first [W4]', async () => {
    const { db, place, read, fence, compose, commit } = await openStage(useDb());
    await createPrepared(db, place);
    const writes = compose(askNext(composeTurn(await read(), fence)));
    await commit(writes);
    expect(await commit(writes, { isRepeated: true })).toEqual(Array(4).fill({ outcome: 'written' }));
    expect((await commit(writes.slice(-1))).at(0)).toEqual({ outcome: 'stale' });
  });
}

function describeLive({ useDb }: DatabaseSuite): void {
  it('answer what came into the log, as its readers have it', async () => {
    const { db, place, read, fence, compose, write } = await openStage(useDb());
    const row = await read();
    const stale = moveOf({ ...row, status: 'claimed', writingAt: null }, { kind: 'written', epoch: fence.epoch });
    const said = `a "word"\u2028 and ${'more '.repeat(1000)}`;
    const output: NewEvent = {
      ...{ kind: 'agent.output', actor: { type: 'service', id: 'runner-gateway' }, traceId: 'a trace' },
      data: { agentId: idFromUuid('agent', place.agentId), deliveryId: undefined, item: { type: 'text', text: said } },
    };
    const before = (await readEvents(db, { ...place, afterSeq: 0, limit: 100 })).length;
    const { events } = await write(compose([stale, ...composeTurn(row, fence), { events: [output] }]));
    expect(events.map(({ kind }) => kind)).toEqual([
      ...[
        'delivery.claimed',
        'delivery.written',
        'session.ended',
        'session.ended',
        'delivery.responded',
        'agent.output',
      ],
    ]);
    const stored = await readEvents(db, { ...place, afterSeq: before, limit: 100 });
    expect(JSON.parse(JSON.stringify(events))).toEqual(JSON.parse(JSON.stringify(stored)));
  });

  it('answer no event where nothing came into the log, or the answer was lost [W4]', async () => {
    const { read, fence, compose, write } = await openStage(useDb());
    const row = await read();
    const stale = moveOf({ ...row, status: 'claimed', writingAt: null }, { kind: 'written', epoch: fence.epoch });
    expect((await write(compose([stale]))).events).toEqual([]);
    const writes = compose(composeTurn(row, fence));
    expect((await write(writes)).events).toHaveLength(5);
    expect((await write(writes, { isRepeated: true })).events).toEqual([]);
  });
}
