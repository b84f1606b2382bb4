import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Database } from './database.ts';
import { createPlace, type Place } from './database-fixtures.ts';
import type { DatabaseSuite } from './database-suite.contract.ts';
import {
  claimSession,
  holdEpoch,
  type ReplicaIdentity,
  readFormerSessions,
  releaseSession,
  renewLease,
} from './session-owner-writer.ts';

const newReplica = (replicaId: string = randomUUID()): ReplicaIdentity => ({ replicaId, incarnation: randomUUID() });

const live = (db: Database, identity: ReplicaIdentity, leaseMs = 60_000) =>
  renewLease(db, { ...identity, leaseMs, state: 'active' });

const claim = (db: Database, place: Place, identity: ReplicaIdentity) => claimSession(db, { ...place, ...identity });

const hold = (db: Database, place: Place, incarnation: string, epoch: number) =>
  db.asTenant(place.tenantId, async (tx) => (await holdEpoch(tx, place.sessionId, { incarnation, epoch })).isHeld);

/** Who owns a session, and what a former owner may still do: nothing. */
export function describeOwnership({ useDb }: DatabaseSuite): void {
  it('starts at epoch 1, and the same incarnation keeps its epoch [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const replica = newReplica();
    expect(await claim(db, place, replica)).toBe(1);
    expect(await claim(db, place, replica)).toBe(1);
  });

  it('passes to a new incarnation of the same replica under a higher epoch [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const old = newReplica();
    await live(db, old);
    await claim(db, place, old);
    const restarted = newReplica(old.replicaId);
    await live(db, restarted);
    expect(await readFormerSessions(db, restarted)).toEqual([{ tenantId: place.tenantId, sessionId: place.sessionId }]);
    expect(await claim(db, place, restarted)).toBe(2);
    expect(await readFormerSessions(db, restarted)).toEqual([]);
  });

  it('is refused to another replica while the owner lives, and given once its lease has ended [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [owner, other] = [newReplica(), newReplica()];
    await live(db, owner);
    await claim(db, place, owner);
    expect(await claim(db, place, other)).toBeUndefined();
    await live(db, owner, -1000);
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
