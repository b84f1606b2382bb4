import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { describePresent, findDelivery, findProfile } from '../../src/delivery/delivery-reader.ts';
import { replica, session } from '../../src/schema.ts';
import { dismissAgent } from '../../src/session/agent-writer.ts';
import type { Placement } from '../../src/session/owner/placement.ts';
import { listGateways } from '../../src/session/owner/session-owner-reader.ts';
import {
  admitAgent,
  claimSession,
  keepLease,
  type ReplicaIdentity,
  releaseSession,
  renewLease,
  takeReplica,
} from '../../src/session/owner/session-owner-writer.ts';
import { setTenantLimits } from '../../src/tenancy/tenant-writer.ts';
import { createAgent, createPlace, createSession, type Place } from '../__fixtures__/database-fixtures.ts';
import { createPrepared } from '../__fixtures__/prepare-delivery.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const roomy: Placement = { room: 2, programs: ['example'], atLimit: [] };
const full: Placement = { ...roomy, room: 0 };

/** A gateway that says what it has room for. */
async function offer(db: Database, placement: Placement, replicaId: string = randomUUID()) {
  const identity: ReplicaIdentity = { replicaId, incarnation: randomUUID() };
  await takeReplica(db, { ...identity, leaseMs: 60_000 });
  const say = (said: Placement, state: 'active' | 'draining' = 'active') =>
    keepLease(db, { ...identity, leaseMs: 60_000, aloneMs: 60_000, state, placement: said });
  await say(placement);
  return { identity, say, end: () => renewLease(db, { ...identity, leaseMs: -1, state: 'gone' }) };
}

async function forgetGateways(db: Database): Promise<void> {
  for (const { replicaId } of await listGateways(db))
    await db.asWorker((tx) => tx.delete(replica).where(eq(replica.id, replicaId)));
}

const waitsFor = (db: Database, { tenantId }: Place, id: string) =>
  db.readAsTenant(tenantId, async (tx) => {
    const row = await findDelivery(tx, id);
    if (!row) throw new Error('the delivery is gone');
    return (await describePresent(tx, row)).waitsFor;
  });

const claim = (db: Database, { tenantId, sessionId }: Place, identity: ReplicaIdentity) =>
  claimSession(db, { ...identity, tenantId, sessionId });

/** Notes that an agent gets a process, at a gateway that takes its session for that. */
async function admit(db: Database, place: Place, identity: ReplicaIdentity) {
  const held = await claim(db, place, identity);
  return admitAgent(db, place, { incarnation: identity.incarnation, epoch: held?.epoch ?? 0 });
}

const addPlace = async (db: Database, { tenantId }: Place): Promise<Place> => {
  const sessionId = await createSession(db, tenantId);
  return { tenantId, sessionId, agentId: await createAgent(db, { tenantId, sessionId }) };
};

/** Placement of agents on gateways, and the reasons for which a delivery waits. */
export function describePlacement(suite: DatabaseSuite): void {
  describeWaiting(suite);
  describeLimits(suite);
}

function describeWaiting({ useDb }: DatabaseSuite): void {
  it('a delivery tells whether it waits for a gateway, a program, a slot or its own agent [DL-52]', async () => {
    const db = useDb();
    await forgetGateways(db);
    const place = await createPlace(db);
    const first = await createPrepared(db, place);
    const second = await createPrepared(db, place);
    expect(await waitsFor(db, place, first)).toBe('owner');
    expect(await waitsFor(db, place, second)).toBe('agent');
    const other = await offer(db, { ...roomy, programs: ['another'] });
    expect(await waitsFor(db, place, first)).toBe('program');
    const one = await offer(db, full);
    expect(await waitsFor(db, place, first)).toBe('slot');
    await one.say(roomy);
    expect(await waitsFor(db, place, first)).toBe('owner');
    const held = await claim(db, place, one.identity);
    expect(await waitsFor(db, place, first)).toBeUndefined();
    await one.say(full);
    expect(await waitsFor(db, place, first)).toBe('slot');
    // It will be moved there.
    await other.say(roomy);
    expect(await waitsFor(db, place, first)).toBe('owner');
    // However little room there is, the agent already has its process.
    const fence = { incarnation: one.identity.incarnation, epoch: held?.epoch ?? 0 };
    expect(await admitAgent(db, place, fence)).toBe('admitted');
    expect(await waitsFor(db, place, first)).toBeUndefined();
    expect(await waitsFor(db, place, second)).toBe('agent');
    await one.end();
    await other.say({ ...roomy, onlyTenant: randomUUID() });
    expect(await waitsFor(db, place, first)).toBe('owner');
  });

  it('a delivery of a parked session waits for an operator, which its session tells', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await createPrepared(db, place);
    await db.asTenant(place.tenantId, (tx) =>
      tx.update(session).set({ parkedAt: new Date() }).where(eq(session.id, place.sessionId)),
    );
    expect(await waitsFor(db, place, id)).toBeUndefined();
  });

  it('a gateway learns with its renewal what others have room for, which are active', async () => {
    const db = useDb();
    await forgetGateways(db);
    const one = await offer(db, roomy);
    const other = await offer(db, full);
    const silent = { replicaId: randomUUID(), incarnation: randomUUID() };
    await takeReplica(db, { ...silent, leaseMs: 60_000 });
    expect((await one.say(roomy)).others).toEqual([{ ...full, ...other.identity }]);
    expect((await other.say(full)).others).toEqual([{ ...roomy, ...one.identity }]);
    await one.say(roomy, 'draining');
    expect((await other.say(full)).others).toEqual([]);
    // Its new incarnation has reported nothing yet.
    await other.end();
    await takeReplica(db, { replicaId: other.identity.replicaId, incarnation: randomUUID(), leaseMs: 60_000 });
    expect((await one.say(roomy)).others).toEqual([]);
  });

  it('the profile of a delivery is that of its agent; of another tenant there is none', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const stranger = await createPlace(db);
    const id = await createPrepared(db, place);
    expect(await db.readAsTenant(place.tenantId, (tx) => findProfile(tx, id))).toBe('example');
    expect(await db.readAsTenant(stranger.tenantId, (tx) => findProfile(tx, id))).toBeUndefined();
  });
}

function describeLimits({ useDb }: DatabaseSuite): void {
  it('no tenant runs more agents than it may, on all gateways together [DL-52]', async () => {
    const db = useDb();
    const first = await createPlace(db);
    const [second, third] = [await addPlace(db, first), await addPlace(db, first)];
    const stranger = await createPlace(db);
    const [one, other] = [await offer(db, roomy), await offer(db, roomy)];
    await db.asTenant(first.tenantId, (tx) => setTenantLimits(tx, { maxLiveAgents: 2 }));
    expect(await admit(db, first, one.identity)).toBe('admitted');
    expect(await admit(db, second, other.identity)).toBe('admitted');
    expect(await admit(db, second, other.identity)).toBe('admitted');
    expect(await admit(db, third, one.identity)).toBe('full');
    expect(await waitsFor(db, third, await createPrepared(db, third))).toBe('slot');
    expect(await admit(db, stranger, one.identity)).toBe('admitted');
    // One that has ended makes room, and so does the death of a gateway or the loss of a session.
    await db.asTenant(first.tenantId, (tx) => dismissAgent(tx, first.agentId));
    expect(await admit(db, third, one.identity)).toBe('admitted');
    expect(await admit(db, first, one.identity)).toBe('full');
    await other.end();
    expect(await admit(db, first, one.identity)).toBe('admitted');
    await releaseSession(db, { ...third, ...one.identity, handsOver: true });
    expect(await admit(db, second, one.identity)).toBe('admitted');
    await db.asTenant(first.tenantId, (tx) => setTenantLimits(tx, { maxLiveAgents: null }));
    expect(await admit(db, third, one.identity)).toBe('admitted');
  });

  it('of gateways that ask at the same time for the last place one gets it', async () => {
    const db = useDb();
    const first = await createPlace(db);
    const places = [first, await addPlace(db, first), await addPlace(db, first), await addPlace(db, first)];
    const gateway = await offer(db, roomy);
    await db.asTenant(first.tenantId, (tx) => setTenantLimits(tx, { maxLiveAgents: 1 }));
    const answers = await Promise.all(places.map((place) => admit(db, place, gateway.identity)));
    expect(answers.toSorted()).toEqual(['admitted', 'full', 'full', 'full']);
  });

  it('a gateway that lost the session admits no agent in it [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const gateway = await offer(db, roomy);
    const fence = { incarnation: gateway.identity.incarnation, epoch: 1 };
    expect(await admitAgent(db, place, fence)).toBe('ownership-lost');
  });
}
