import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { delivery } from '../../src/schema.ts';
import {
  claimSession,
  filterOwnedSessions,
  holdEpoch,
  type ReplicaIdentity,
  readFormerSessions,
  releaseSession,
  renewLease,
  takeReplica,
} from '../../src/session/owner/session-owner-writer.ts';
import { endSession } from '../../src/session/session-writer.ts';
import { createDelivery, createPlace, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const newReplica = (replicaId: string = randomUUID()): ReplicaIdentity => ({ replicaId, incarnation: randomUUID() });

const live = (db: Database, identity: ReplicaIdentity, leaseMs = 60_000) => takeReplica(db, { ...identity, leaseMs });

const renew = (db: Database, identity: ReplicaIdentity, leaseMs = 60_000) =>
  renewLease(db, { ...identity, leaseMs, state: 'active' });

const claim = async (db: Database, place: Place, identity: ReplicaIdentity) =>
  (await claimSession(db, { ...place, ...identity }))?.epoch;

const hold = (db: Database, place: Place, incarnation: string, epoch: number) =>
  db.asTenant(place.tenantId, async (tx) => (await holdEpoch(tx, place.sessionId, { incarnation, epoch })).isHeld);

/** Ownership of a session, and a former owner's rights: none. */
export function describeOwnership({ useDb }: DatabaseSuite): void {
  it('starts at epoch 1, and the same incarnation keeps its epoch [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const replica = newReplica();
    expect(await claim(db, place, replica)).toBe(1);
    expect(await claim(db, place, replica)).toBe(1);
  });

  it('passes to a new incarnation of the same replica only once the old one is over [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId } = place;
    const old = newReplica();
    await live(db, old);
    await claim(db, place, old);
    const restarted = newReplica(old.replicaId);
    expect(await claim(db, place, restarted)).toBeUndefined();
    expect(await live(db, restarted)).toMatchObject({ outcome: 'held', incarnation: old.incarnation });
    await renew(db, old, -1);
    expect(await live(db, restarted)).toEqual({ outcome: 'taken' });
    expect(await readFormerSessions(db, restarted, { limit: 10 })).toEqual([{ tenantId, sessionId }]);
    expect(await claimSession(db, { ...place, ...restarted })).toEqual({ epoch: 2, isTakenOver: true, deaths: 0 });
    expect(await claimSession(db, { ...place, ...restarted })).toEqual({ epoch: 2, isTakenOver: false, deaths: 0 });
    expect(await readFormerSessions(db, restarted, { limit: 10 })).toEqual([]);
    expect(await filterOwnedSessions(db, restarted, [{ tenantId, sessionId }])).toEqual([{ tenantId, sessionId }]);
  });

  it('of a former incarnation is listed page by page [BX-16 BX-27]', async () => {
    const db = useDb();
    const old = newReplica();
    const places = [await createPlace(db), await createPlace(db), await createPlace(db)];
    for (const place of places) await claim(db, place, old);
    const sessions = places.map(({ tenantId, sessionId }) => ({ tenantId, sessionId }));
    const inOrder = sessions.toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
    const restarted = newReplica(old.replicaId);
    const first = await readFormerSessions(db, restarted, { limit: 2 });
    expect(first).toEqual(inOrder.slice(0, 2));
    expect(await readFormerSessions(db, restarted, { after: first.at(-1), limit: 2 })).toEqual(inOrder.slice(2));
  });

  it('of a replica passes at once where its former incarnation is known to be dead, and to no other [BX-16]', async () => {
    const db = useDb();
    const old = newReplica();
    const restarted = newReplica(old.replicaId);
    await live(db, old);
    const take = (deadIncarnation: string) => takeReplica(db, { ...restarted, leaseMs: 60_000, deadIncarnation });
    expect(await take(randomUUID())).toMatchObject({ outcome: 'held' });
    expect(await take(old.incarnation)).toEqual({ outcome: 'taken' });
    expect(await renew(db, old)).toBe('lost');
    expect(await live(db, old)).toMatchObject({ outcome: 'held', incarnation: restarted.incarnation });
  });

  it('tells a lease that was renewed in time from one that had ended', async () => {
    const db = useDb();
    const owner = newReplica();
    await live(db, owner);
    expect(await renew(db, owner, -1)).toBe('renewed');
    expect(await renew(db, owner)).toBe('lapsed');
    expect(await renew(db, owner)).toBe('renewed');
  });

  it('is let go of only while nothing in the session is under way; of one that has ended nothing stays', async () => {
    const db = useDb();
    const [busy, over] = [await createPlace(db), await createPlace(db)];
    const owner = newReplica();
    await live(db, owner);
    for (const place of [busy, over]) await claim(db, place, owner);
    const { deliveryId } = await createDelivery(db, busy);
    const setStatus = (status: 'claimed' | 'failed') =>
      db.asTenant(busy.tenantId, (tx) => tx.update(delivery).set({ status }).where(eq(delivery.id, deliveryId)));
    await setStatus('claimed');
    expect(await releaseSession(db, { ...busy, ...owner })).toBe(false);
    await setStatus('failed');
    expect(await releaseSession(db, { ...busy, ...newReplica() })).toBe(false);
    expect(await releaseSession(db, { ...busy, ...owner })).toBe(true);
    await db.asTenant(over.tenantId, (tx) => endSession(tx, over.sessionId));
    expect(await releaseSession(db, { ...over, ...owner })).toBe(true);
    expect(await claim(db, busy, owner)).toBe(2);
    expect(await claim(db, over, owner)).toBe(1);
  });

  it('is refused to another replica while the owner lives, and given once its lease has ended [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [owner, other] = [newReplica(), newReplica()];
    await live(db, owner);
    await claim(db, place, owner);
    expect(await claim(db, place, other)).toBeUndefined();
    await renew(db, owner, -1000);
    expect(await claim(db, place, other)).toBe(2);
  });

  it('is given to exactly one of many that ask at once [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const replicas = Array.from({ length: 8 }, () => newReplica());
    await Promise.all(replicas.map((replica) => live(db, replica)));
    const epochs = await Promise.all(replicas.map((replica) => claim(db, place, replica)));
    expect(epochs.filter((epoch) => epoch !== undefined)).toEqual([1]);
  });

  it('is free for anyone after a release, under a higher epoch, also for the one that let go [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [owner, other] = [newReplica(), newReplica()];
    await live(db, owner);
    await claim(db, place, owner);
    await releaseSession(db, { ...place, ...owner });
    expect(await hold(db, place, owner.incarnation, 1)).toBe(false);
    expect(await claim(db, place, owner)).toBe(2);
    await releaseSession(db, { ...place, ...owner });
    expect(await claim(db, place, other)).toBe(3);
  });

  it('is not released by a former owner [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const former = newReplica();
    await claim(db, place, former);
    const owner = newReplica(former.replicaId);
    await claim(db, place, owner);
    await releaseSession(db, { ...place, ...former });
    expect(await hold(db, place, owner.incarnation, 2)).toBe(true);
  });

  it('holds the epoch of its owner; false for a lower one, another incarnation, another tenant [BX-16 S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const old = newReplica();
    await claim(db, place, old);
    const owner = newReplica(old.replicaId);
    await claim(db, place, owner);
    expect(await hold(db, place, owner.incarnation, 2)).toBe(true);
    expect(await hold(db, place, old.incarnation, 1)).toBe(false);
    expect(await hold(db, place, old.incarnation, 2)).toBe(false);
    expect(await hold(db, place, owner.incarnation, 1)).toBe(false);
    const stranger = { ...place, tenantId: (await createPlace(db)).tenantId };
    expect(await hold(db, stranger, owner.incarnation, 2)).toBe(false);
  });

  it('still acts inside its tenant after holding [S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const owner = newReplica();
    await claim(db, place, owner);
    const found = await db.asTenant(place.tenantId, async (tx) => {
      await holdEpoch(tx, place.sessionId, { incarnation: owner.incarnation, epoch: 1 });
      return tx.query.session.findMany({ columns: { id: true } });
    });
    expect(found).toEqual([{ id: place.sessionId }]);
  });
}
