import { randomUUID } from 'node:crypto';
import { renewLease, takeReplica } from '@attache/database';
import { expect, it } from 'vitest';
import { type Fixture, openFixture, prepareTask } from '../__fixtures__/open-fixture.ts';
import { createOwnership } from './session-ownership.ts';

/** Another living gateway. */
async function startOther({ deps: { db, doorbells } }: Fixture) {
  const lost: string[] = [];
  const ownership = createOwnership({
    ...{ db, doorbells, identity: { replicaId: randomUUID(), incarnation: randomUUID() }, isWaiting: () => true },
    onLost: ({ sessionId }) => lost.push(sessionId),
  });
  await takeReplica(db, { ...ownership.identity, leaseMs: 60_000 });
  return ownership;
}

it('keeps a session from others while its lease runs', async () => {
  const fixture = await openFixture();
  const other = await startOther(fixture);
  expect(await other.claim(fixture.session)).toBeUndefined();
  expect(() => other.fenceOf(fixture.session)).toThrow('Another gateway owns the session now.');
});

it('says which other gateway owns a session, or had it last, while that one lives [BX-16]', async () => {
  const fixture = await openFixture();
  const { ownership } = fixture.deps;
  const other = await startOther(fixture);
  expect(await other.findOther(fixture.session)).toBe(ownership.identity.incarnation);
  expect(await ownership.findOther(fixture.session)).toBeUndefined();
  await ownership.release(fixture.session);
  expect(await other.findOther(fixture.session)).toBe(ownership.identity.incarnation);
  await renewLease(fixture.deps.db, { ...ownership.identity, leaseMs: 0, state: 'gone' });
  expect(await other.findOther(fixture.session)).toBeUndefined();
});

it('lets go of a session in which nothing is under way, and of no other', async () => {
  const [idle, busy] = [await openFixture(), await openFixture()];
  await prepareTask(busy);
  expect(await busy.deps.ownership.release(busy.session)).toBe(false);
  expect(await idle.deps.ownership.release(idle.session)).toBe(true);
  expect(idle.deps.ownership.held()).toEqual([]);
  const other = await startOther(idle);
  expect(await other.claim(idle.session)).toEqual({ epoch: 2, isTakenOver: false, deaths: 0 });
});

it('takes over from one whose lease has ended, who then may write nothing any more', async () => {
  const fixture = await openFixture();
  const { ownership, db } = fixture.deps;
  const other = await startOther(fixture);
  await takeReplica(db, { ...ownership.identity, leaseMs: 0 });
  expect(await other.claim(fixture.session)).toEqual({
    epoch: 2,
    isTakenOver: true,
    deaths: 0,
    goneMs: expect.any(Number),
  });
  const written = ownership.asOwner(fixture.session, async () => 'written');
  await expect(written).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
  expect(fixture.lost).toEqual([fixture.sessionId]);
  expect(await other.asOwner(fixture.session, async (_tx, epoch) => epoch)).toBe(2);
});

it('takes sessions of the tenant alone to which its gateway is pinned, and leaves the others to others [BX-22]', async () => {
  const [own, other] = [await openFixture(), await openFixture()];
  await own.deps.ownership.release(own.session);
  await other.deps.ownership.release(other.session);
  const pinned = createOwnership({
    doorbells: own.deps.doorbells,
    ...{
      db: own.deps.db,
      identity: { replicaId: randomUUID(), incarnation: randomUUID() },
      pinnedTenant: own.tenantId,
      isWaiting: () => true,
    },
    onLost: () => undefined,
  });
  await takeReplica(own.deps.db, { ...pinned.identity, leaseMs: 60_000 });
  expect(await pinned.claim(other.session)).toBeUndefined();
  expect(await pinned.claim(own.session)).toMatchObject({ epoch: 2 });
  expect(pinned.held()).toEqual([own.session]);
  expect(await (await startOther(other)).claim(other.session)).toMatchObject({ epoch: 2 });
});
