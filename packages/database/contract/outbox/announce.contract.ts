import { randomUUID } from 'node:crypto';
import type { Part } from '@attache/contracts';
import { type DeliveryFact, requireDecision } from '@attache/domain';
import { and, eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { recordUpload, reserveUpload } from '../../src/attachment/upload-writer.ts';
import type { Announced, Database } from '../../src/database.ts';
import { findDelivery } from '../../src/delivery/delivery-reader.ts';
import { stateOf } from '../../src/delivery/delivery-state.ts';
import { applyDecision, applyInTransaction, type Conditions } from '../../src/delivery/delivery-writer.ts';
import { acceptMessage } from '../../src/message/message-writer.ts';
import { holdMessages } from '../../src/outbox/outbox-queue.ts';
import { addToOutbox, insertOutboxMessage, preparedMessageIdOf } from '../../src/outbox/outbox-writer.ts';
import { claimForRelay, readBacklog, settleDone } from '../../src/outbox/relay-queue.ts';
import { delivery, outbox } from '../../src/schema.ts';
import { askToMove } from '../../src/session/owner/operator-writer.ts';
import {
  claimSession,
  findOwner,
  releaseSession,
  renewLease,
  takeReplica,
} from '../../src/session/owner/session-owner-writer.ts';
import {
  createDelivery,
  createPlace,
  newMessage,
  newRecord,
  newReservation,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import { passMillisecond } from '../__fixtures__/pass-millisecond.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const FALLBACK_MS = 30_000;
const HOUR_MS = 3_600_000;
const parts: Part[] = [{ type: 'text', text: 'hello' }];

const readRow = (db: Database, tenantId: string, id: string) =>
  db.asWorker(async (tx) => {
    const [row] = await tx
      .select()
      .from(outbox)
      .where(and(eq(outbox.tenantId, tenantId), eq(outbox.id, id)));
    return row;
  });

async function step(db: Database, tenantId: string, deliveryId: string, fact: DeliveryFact, conditions?: Conditions) {
  const row = await db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId));
  if (!row) throw new Error('the delivery is gone');
  return applyDecision(db, requireDecision(stateOf(row), fact), conditions);
}

/** A living gateway that owns the session of a place. */
async function ownSession(db: Database, place: Place): Promise<string> {
  const identity = { replicaId: `gateway ${randomUUID()}`, incarnation: randomUUID() };
  await takeReplica(db, { ...identity, leaseMs: HOUR_MS });
  await claimSession(db, { ...identity, ...place });
  return identity.incarnation;
}

/** A process that commits also rings; the row in the outbox is the fallback. */
export function describeAnnouncements(suite: DatabaseSuite): void {
  describeRinging(suite);
  describeOwners(suite);
  describeSettling(suite);
}

function describeRinging({ useDb, whileRinging, takeRung }: DatabaseSuite): void {
  it('tell what each commit has put into the outbox, and no relay is woken for it', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId, agentId } = place;
    const [reservation, message] = [newReservation(place), newMessage(place)];
    await reserveUpload(db, reservation);
    takeRung();
    const announced = await whileRinging(FALLBACK_MS, async () => {
      await recordUpload(db, newRecord(reservation));
      await acceptMessage(db, message);
      await db.asTenant(tenantId, (tx) => addToOutbox(tx, 'agent.removed', { tenantId, sessionId, agentId }));
    });
    expect(announced.map(({ subject }) => subject)).toEqual(['attachment.added', 'delivery.queued', 'agent.removed']);
    expect(takeRung().filter((doorbell) => doorbell.startsWith('outbox:'))).toEqual([]);
    for (const { id, subject, data, trace } of announced) {
      const row = await readRow(db, tenantId, id);
      expect(row).toMatchObject({ subject, data, state: 'waiting', emission: 0 });
      expect(row?.trace ?? undefined).toEqual(trace ?? undefined);
    }
  });

  it('leave a row that no relay sees before its time, and that is no backlog until then [W13]', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    const [rung, lost] = [randomUUID(), randomUUID()];
    const add = (id: string) =>
      insertOutboxMessage(db, { id, subject: 'session.ended', data: { tenantId, sessionId } });
    const claim = async () => {
      const all = { subjects: ['session.ended'], limit: 1_000, leaseMs: 1, windowPerTenant: 100 } as const;
      const { messages } = await claimForRelay(db, all);
      return messages.filter((message) => message.tenantId === tenantId).map(({ id }) => id);
    };
    const before = (await readBacklog(db, ['session.ended'])).waiting;
    await whileRinging(FALLBACK_MS, () => add(rung));
    expect([await claim(), (await readBacklog(db, ['session.ended'])).waiting]).toEqual([[], before]);
    await whileRinging(1, () => add(lost));
    await passMillisecond();
    expect([await claim(), (await readBacklog(db, ['session.ended'])).waiting]).toEqual([[lost], before + 1]);
  });

  it('do not say of what was rolled back, refused or moved by others', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId } = place;
    const { deliveryId } = await createDelivery(db, place);
    const announced = await whileRinging(FALLBACK_MS, async () => {
      const failing = db.asTenant(tenantId, async (tx) => {
        await addToOutbox(tx, 'session.ended', { tenantId, sessionId });
        throw new Error('planted');
      });
      await expect(failing).rejects.toThrow('planted');
      const { outcome } = await acceptMessage(db, { ...newMessage(place), attachmentIds: [randomUUID()] });
      expect(outcome).toBe('attachment-gone');
      const handledEventId = randomUUID();
      const prepare = () => step(db, tenantId, deliveryId, { kind: 'parts-built', parts }, { handledEventId });
      expect(await prepare()).toBe(true);
    });
    expect(announced.map(({ subject }) => subject)).toEqual(['delivery.prepared']);
  });
}

function describeOwners({ useDb, whileRinging }: DatabaseSuite): void {
  const prepare = async (db: Database, place: Place): Promise<Announced | undefined> => {
    const { deliveryId } = await createDelivery(db, place);
    const [announced] = await whileRinging(FALLBACK_MS, () =>
      step(db, place.tenantId, deliveryId, { kind: 'parts-built', parts }),
    );
    return announced;
  };

  it('name the living gateway that owns the session, by every way [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    expect(await prepare(db, place)).toMatchObject({ subject: 'delivery.prepared', owner: null });
    expect(await findOwner(db, place)).toBeUndefined();
    const owner = await ownSession(db, place);
    expect(await prepare(db, place)).toMatchObject({ owner });
    expect(await findOwner(db, place)).toBe(owner);
    const { deliveryId } = await createDelivery(db, place);
    const announced = await whileRinging(FALLBACK_MS, async () => {
      await db.asTenant(place.tenantId, async (tx) => {
        const row = await findDelivery(tx, deliveryId);
        if (!row) throw new Error('the delivery is gone');
        const actor = { type: 'service', id: 'ingest' } as const;
        await applyInTransaction(tx, requireDecision(stateOf(row), { kind: 'cancelled', actor }));
        await addToOutbox(tx, 'session.ended', place);
      });
    });
    expect(announced.map(({ subject, owner: named }) => [subject, named])).toEqual([
      ['delivery.stopped', owner],
      ['session.ended', owner],
    ]);
  });

  it('name the gateway that had a session last while it takes sessions, and once it is wanted elsewhere the one that was named [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const live = async () => {
      const identity = { replicaId: randomUUID(), incarnation: randomUUID() };
      await takeReplica(db, { ...identity, leaseMs: HOUR_MS });
      return identity;
    };
    const [last, wanted] = [await live(), await live()];
    await claimSession(db, { ...last, ...place });
    expect(await releaseSession(db, { ...last, ...place })).toBe(true);
    expect(await findOwner(db, place)).toBe(last.incarnation);
    expect(await prepare(db, place)).toMatchObject({ owner: last.incarnation });
    await claimSession(db, { ...last, ...place });
    await askToMove(db, place, wanted.replicaId);
    await db.asTenant(place.tenantId, (tx) =>
      tx.update(delivery).set({ status: 'cancelled' }).where(eq(delivery.sessionId, place.sessionId)),
    );
    await releaseSession(db, { ...last, ...place });
    expect(await findOwner(db, place)).toBe(wanted.incarnation);
    // Not even the one that had it takes it first.
    expect(await claimSession(db, { ...last, ...place })).toBeUndefined();
    expect(await claimSession(db, { ...wanted, ...place })).toMatchObject({ isTakenOver: false });
    await releaseSession(db, { ...wanted, ...place });
    await renewLease(db, { ...wanted, leaseMs: HOUR_MS, state: 'draining' });
    expect(await findOwner(db, place)).toBeUndefined();
  });

  it('name nobody whose lease has ended, nor the owner of another tenant’s session [BX-16 S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const identity = { replicaId: `gateway ${randomUUID()}`, incarnation: randomUUID() };
    await takeReplica(db, { ...identity, leaseMs: HOUR_MS });
    await claimSession(db, { ...identity, ...place });
    expect(await findOwner(db, { ...place, tenantId: (await createPlace(db)).tenantId })).toBeUndefined();
    await renewLease(db, { ...identity, leaseMs: 0, state: 'gone' });
    expect(await findOwner(db, place)).toBeUndefined();
    expect(await prepare(db, place)).toMatchObject({ owner: null });
  });
}

function describeSettling({ useDb, whileRinging }: DatabaseSuite): void {
  it('are settled by their effect: parts that are built, and the claim of a prepared delivery [W8 DL-61]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId } = place;
    const owner = await ownSession(db, place);
    const message = newMessage(place);
    const [queued] = await whileRinging(FALLBACK_MS, () => acceptMessage(db, message));
    const deliveryId = message.deliveries[0]?.id ?? '';
    const [prepared] = await whileRinging(FALLBACK_MS, () =>
      step(db, tenantId, deliveryId, { kind: 'parts-built', parts }, { handledEventId: queued?.id }),
    );
    const states = async () =>
      [queued, prepared].map(async (one) => (await readRow(db, tenantId, one?.id ?? ''))?.state);
    expect(await Promise.all(await states())).toEqual(['done', 'waiting']);
    expect(prepared?.id).toBe(preparedMessageIdOf(deliveryId, 1));
    const fence = { incarnation: owner, epoch: 1 };
    await step(db, tenantId, deliveryId, { kind: 'claimed', epoch: 1 }, { fence });
    expect(await Promise.all(await states())).toEqual(['done', 'done']);
  });

  it('are held for as long as they are worked on for a ring, unless a relay has them [W11]', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    const [held, taken] = [randomUUID(), randomUUID()];
    const data = { tenantId, sessionId };
    await whileRinging(FALLBACK_MS, () => insertOutboxMessage(db, { id: held, subject: 'session.ended', data }));
    await insertOutboxMessage(db, { id: taken, subject: 'session.ended', data });
    await claimForRelay(db, { subjects: ['session.ended'], limit: 1_000, leaseMs: HOUR_MS, windowPerTenant: 100 });
    const timesOf = async () => [await readRow(db, tenantId, held), await readRow(db, tenantId, taken)];
    const before = await timesOf();
    await holdMessages(
      db,
      [held, taken].map((id) => ({ tenantId, id })),
      HOUR_MS,
    );
    const after = await timesOf();
    expect(after[0]?.availableAt.getTime()).toBeGreaterThan(Date.now() + HOUR_MS / 2);
    expect(after[1]?.availableAt).toEqual(before[1]?.availableAt);
  });

  it('that were settled by their effect still make room for those behind them, and those that wait as a fallback need none', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    const add = async () => {
      const id = randomUUID();
      await insertOutboxMessage(db, { id, subject: 'session.ended', data: { tenantId, sessionId } });
      return id;
    };
    const done = await add();
    await settleDone(db, [{ tenantId, id: done }]);
    await whileRinging(FALLBACK_MS, add);
    expect(await settleDone(db, [{ tenantId, id: done }])).toEqual([]);
    await add();
    expect(await settleDone(db, [{ tenantId, id: done }])).toEqual(['session.ended']);
  });
}
