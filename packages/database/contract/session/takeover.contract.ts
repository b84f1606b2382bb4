import { randomUUID } from 'node:crypto';
import { requireDecision } from '@attache/domain';
import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { findDelivery, readNextDelivery } from '../../src/delivery/delivery-reader.ts';
import { stateOf } from '../../src/delivery/delivery-state.ts';
import { applyDecision } from '../../src/delivery/delivery-writer.ts';
import { allowForward, markWriting } from '../../src/delivery/mark-writing.ts';
import { acceptMessage } from '../../src/message/message-writer.ts';
import { delivery } from '../../src/schema.ts';
import { appendEvents, type NewEvent } from '../../src/session/append-events.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import type { Fence } from '../../src/session/owner/fence.ts';
import { askToDrain, askToMove, unparkSession } from '../../src/session/owner/operator-writer.ts';
import { listGateways, listOwnership, listParked } from '../../src/session/owner/session-owner-reader.ts';
import {
  claimSession,
  keepLease,
  parkSession,
  type ReplicaIdentity,
  readOrphanedSessions,
  releaseSession,
  renewLease,
  takeReplica,
} from '../../src/session/owner/session-owner-writer.ts';
import { createPlace, newMessage, type Place } from '../__fixtures__/database-fixtures.ts';
import { createPrepared } from '../__fixtures__/prepare-delivery.ts';
import { takeFact } from '../__fixtures__/take-fact.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const placement = { room: 1, programs: [], atLimit: [] };
const actor = { type: 'service', id: 'runner-gateway' } as const;
const held = { bytes: 1, pixels: 1, images: 1, pages: 0 };

async function live(db: Database): Promise<ReplicaIdentity> {
  const identity = { replicaId: randomUUID(), incarnation: randomUUID() };
  await takeReplica(db, { ...identity, leaseMs: 60_000 });
  return identity;
}

const die = (db: Database, identity: ReplicaIdentity) => renewLease(db, { ...identity, leaseMs: -1, state: 'gone' });

/** As the guard says it, once the process is gone. */
const crash = (db: Database, { replicaId, incarnation }: ReplicaIdentity) =>
  db.call(sql`select attache_end_lease(${JSON.stringify({ replicaId, incarnation })}::jsonb)`);

const claim = (db: Database, { tenantId, sessionId }: Place, identity: ReplicaIdentity) =>
  claimSession(db, { ...identity, tenantId, sessionId });

const orphansOf = async (db: Database, identity: ReplicaIdentity, { tenantId }: Place) =>
  (await readOrphanedSessions(db, { ...identity, onlyTenant: tenantId, limit: 100 })).map(({ sessionId }) => sessionId);

const readRow = async (db: Database, { tenantId }: Place, id: string) => {
  const row = await db.asTenant(tenantId, (tx) => findDelivery(tx, id));
  if (!row) throw new Error('the delivery is gone');
  return row;
};

/** Creates a prepared delivery whose first byte may be out. */
async function beginWriting(db: Database, place: Place, fence: Fence, isWatched: boolean): Promise<string> {
  const id = await createPrepared(db, place);
  await takeFact(db, await readRow(db, place, id), { kind: 'claimed', epoch: fence.epoch }, { fence });
  const facts = { attachmentIds: [], targetVersion: 1, held, isWatched };
  await markWriting(db, await readRow(db, place, id), facts, fence);
  return id;
}

/** The state that the next owner finds, and how it acts on it. */
export function describeTakeovers(suite: DatabaseSuite): void {
  describeOrphans(suite);
  describeForwarding(suite);
  describeParking(suite);
  describeOperators(suite);
}

function describeOrphans({ useDb }: DatabaseSuite): void {
  it('sessions whose owner is gone are found by others, those of the living and those let go of are not [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [owner, other] = [await live(db), await live(db)];
    await claim(db, place, owner);
    expect(await orphansOf(db, other, place)).toEqual([]);
    await die(db, owner);
    expect(await orphansOf(db, other, place)).toEqual([place.sessionId]);
    expect(await orphansOf(db, owner, place)).toEqual([]);
    const taken = await claim(db, place, other);
    expect(taken).toEqual({ epoch: 2, isTakenOver: true, deaths: 0, goneMs: expect.any(Number) });
    // Its lease had ended a millisecond before it was given up.
    expect(taken?.goneMs).toBeGreaterThanOrEqual(0);
    expect(await orphansOf(db, await live(db), place)).toEqual([]);
    await releaseSession(db, { ...place, ...other });
    await die(db, other);
    expect(await orphansOf(db, await live(db), place)).toEqual([]);
  });

  it('a session with a prepared delivery is handed over, and is taken over at once although its former owner lives [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [owner, other] = [await live(db), await live(db)];
    await createPrepared(db, place);
    await claim(db, place, owner);
    expect(await releaseSession(db, { ...place, ...owner })).toBe(false);
    expect(await releaseSession(db, { ...place, ...owner, handsOver: true })).toBe(true);
    expect(await orphansOf(db, other, place)).toEqual([place.sessionId]);
    expect(await claim(db, place, other)).toEqual({ epoch: 2, isTakenOver: true, deaths: 0 });
  });

  it('a session in which a delivery is under way is not handed over', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const owner = await live(db);
    const { epoch = 0 } = (await claim(db, place, owner)) ?? {};
    await beginWriting(db, place, { incarnation: owner.incarnation, epoch }, false);
    expect(await releaseSession(db, { ...place, ...owner, handsOver: true })).toBe(false);
  });

  it('is claimed again by the incarnation that gave up acting for it, under a higher epoch [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const owner = await live(db);
    await claim(db, place, owner);
    const { tenantId, sessionId } = place;
    const again = await claimSession(db, { ...owner, tenantId, sessionId, isAgain: true });
    expect(again).toEqual({ epoch: 2, isTakenOver: true, deaths: 0 });
  });

  it('a lease is longer for a gateway that nobody could replace, and short again once another one lives [W15]', async () => {
    const db = useDb();
    const leases = { leaseMs: 6_000, aloneMs: 30_000, state: 'active', placement } as const;
    for (const { replicaId } of await listGateways(db))
      await db.asWorker((tx) => tx.execute(`delete from replica where id = '${replicaId}'`).then());
    const one = await live(db);
    expect(await keepLease(db, { ...one, ...leases })).toMatchObject({ renewal: 'renewed', leaseMs: 30_000 });
    const two = await live(db);
    expect(await keepLease(db, { ...one, ...leases })).toMatchObject({ leaseMs: 6_000 });
    await die(db, two);
    expect(await keepLease(db, { ...two, ...leases, replicaId: 'nobody' })).toMatchObject({ renewal: 'lost' });
    await die(db, one);
    expect(await keepLease(db, { ...one, ...leases })).toMatchObject({ renewal: 'lapsed', leaseMs: 30_000 });
  });
}

function describeForwarding({ useDb }: DatabaseSuite): void {
  it.each([
    ['that no request of its agent followed is given back [DL-61]', true, false, 'prepared'],
    ['that a model may have seen is not given back [DL-61]', true, true, undefined],
    ['that nobody watched is not given back [DL-61]', false, false, undefined],
  ])('a delivery %s', async (_title, isWatched, isForwarded, expected) => {
    const db = useDb();
    const place = await createPlace(db);
    const [owner, next] = [await live(db), await live(db)];
    const { epoch = 0 } = (await claim(db, place, owner)) ?? {};
    const fence = { incarnation: owner.incarnation, epoch };
    const id = await beginWriting(db, place, fence, isWatched);
    if (isForwarded) await allowForward(db, place, { fence, isFirst: true });
    await die(db, owner);
    const taken = await claim(db, place, next);
    const row = await readRow(db, place, id);
    const decision = requireDecision(stateOf(row), { kind: 'owner-lost', isUnseen: true });
    const nextFence = { incarnation: next.incarnation, epoch: taken?.epoch ?? 0 };
    const isMoved = await applyDecision(db, { ...decision, events: [], messages: [] }, { fence: nextFence });
    const after = await readRow(db, place, id);
    expect([isMoved, isMoved ? after.status : undefined]).toEqual([expected !== undefined, expected]);
    if (isMoved) expect(after).toMatchObject({ writingAt: null, held: null, forwarding: null });
  });

  it('a request of the former owner is refused after the session was taken [BX-16 W16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [owner, next] = [await live(db), await live(db)];
    const { epoch = 0 } = (await claim(db, place, owner)) ?? {};
    const fence = { incarnation: owner.incarnation, epoch };
    await allowForward(db, place, { fence, isFirst: false });
    await die(db, owner);
    await claim(db, place, next);
    const late = allowForward(db, place, { fence, isFirst: false });
    await expect(late).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
  });
}

function describeParking({ useDb }: DatabaseSuite): void {
  it('gateways that die over a session are counted, until a delivery of it is answered; one that only lost its lease is not [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const endOver = async (end: typeof die | typeof crash) => {
      const owner = await live(db);
      const claimed = await claim(db, place, owner);
      const id = await beginWriting(db, place, { incarnation: owner.incarnation, epoch: claimed?.epoch ?? 0 }, false);
      await end(db, owner);
      return { deaths: claimed?.deaths, id };
    };
    const settle = (id: string) =>
      db.asTenant(place.tenantId, (tx) => tx.update(delivery).set({ status: 'failed' }).where(eq(delivery.id, id)));
    const first = await endOver(crash);
    const idle = await live(db);
    expect((await claim(db, place, idle))?.deaths).toBe(1);
    await settle(first.id);
    // A gateway that dies outside of any delivery does not count as a death for the session.
    await crash(db, idle);
    expect((await endOver(die)).deaths).toBe(1);
    expect((await endOver(crash)).deaths).toBe(1);
    expect((await endOver(crash)).deaths).toBe(2);
    const last = await live(db);
    const claimed = await claim(db, place, last);
    expect(claimed?.deaths).toBe(3);
    const responded = { kind: 'delivery.responded', actor, data: {} } as unknown as NewEvent;
    await db.asTenant(place.tenantId, (tx) => appendEvents(tx, place.sessionId, [responded]));
    await crash(db, last);
    expect((await claim(db, place, await live(db)))?.deaths).toBe(1);
  });

  it('a start that finds its former life dead counts that, too', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const owner = await live(db);
    const claimed = await claim(db, place, owner);
    await beginWriting(db, place, { incarnation: owner.incarnation, epoch: claimed?.epoch ?? 0 }, false);
    const again = { replicaId: owner.replicaId, incarnation: randomUUID() };
    await takeReplica(db, { ...again, leaseMs: 60_000, deadIncarnation: owner.incarnation });
    const taken = { epoch: 2, isTakenOver: true, deaths: 1, goneMs: expect.any(Number) };
    expect(await claim(db, place, again)).toEqual(taken);
  });

  it('a parked session takes no message and delivers none, until it is unparked [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId, agentId } = place;
    const owner = await live(db);
    const claimed = await claim(db, place, owner);
    const fence = { incarnation: owner.incarnation, epoch: claimed?.epoch ?? 0 };
    await createPrepared(db, place);
    const event = { kind: 'session.parked', actor, data: { deaths: 3 } } as const;
    expect(await parkSession(db, place, { fence, event })).toBe(true);
    expect(await parkSession(db, place, { fence, event })).toBe(true);
    const kinds = (await readEvents(db, { ...place, afterSeq: 0, limit: 50 })).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'session.parked')).toHaveLength(1);
    expect(await acceptMessage(db, newMessage(place))).toEqual({ outcome: 'session-parked' });
    const next = () => readNextDelivery(db, { tenantId, agentId, isSteered: false });
    expect(await next()).toBeUndefined();
    const page = { tenantId, after: undefined, limit: 10 };
    expect(await listParked(db, page)).toMatchObject([{ sessionId, isParked: true, isOwned: true }]);
    expect(await unparkSession(db, place)).toBe(true);
    expect(await unparkSession(db, place)).toBe(false);
    expect(await listParked(db, page)).toEqual([]);
    expect(await next()).toBeDefined();
    // Its owner hears that it is to let go of it.
    const { moves } = await keepLease(db, { ...owner, leaseMs: 6_000, aloneMs: 6_000, state: 'active', placement });
    expect(moves).toEqual([{ tenantId, sessionId }]);
  });
}

function describeOperators({ useDb }: DatabaseSuite): void {
  it('ask a gateway to drain, which hears of it with its renewal; a new life of it is asked nothing', async () => {
    const db = useDb();
    const owner = await live(db);
    const lease = { ...owner, leaseMs: 6_000, aloneMs: 6_000, state: 'active', placement } as const;
    expect(await keepLease(db, lease)).toMatchObject({ isDrainAsked: false });
    expect(await askToDrain(db, owner.replicaId)).toBe(true);
    expect(await askToDrain(db, randomUUID())).toBe(false);
    expect(await keepLease(db, lease)).toMatchObject({ isDrainAsked: true });
    const found = (await listGateways(db)).find(({ replicaId }) => replicaId === owner.replicaId);
    expect(found).toMatchObject({ isDrainAsked: true, state: 'active', sessionCount: 0 });
    await die(db, owner);
    const again = { replicaId: owner.replicaId, incarnation: randomUUID() };
    await takeReplica(db, { ...again, leaseMs: 6_000 });
    expect(await keepLease(db, { ...lease, ...again })).toMatchObject({ isDrainAsked: false });
  });

  it('ask for a move: no gateway but the named one takes the session while that one lives', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId } = place;
    const [owner, wanted, other] = [await live(db), await live(db), await live(db)];
    expect(await askToMove(db, place, undefined)).toBe(false);
    await claim(db, place, owner);
    expect(await askToMove(db, place, wanted.replicaId)).toBe(true);
    await createPrepared(db, place);
    await releaseSession(db, { ...place, ...owner, handsOver: true });
    expect(await claim(db, place, other)).toBeUndefined();
    expect(await claim(db, place, wanted)).toMatchObject({ epoch: 2, isTakenOver: true });
    const page = { tenantId, after: undefined, limit: 10 };
    expect(await listOwnership(db, page)).toMatchObject([{ sessionId, replicaId: wanted.replicaId, epoch: 2 }]);
    await askToMove(db, place, randomUUID());
    await releaseSession(db, { ...place, ...wanted, handsOver: true });
    expect(await claim(db, place, other)).toMatchObject({ epoch: 3 });
  });
}
