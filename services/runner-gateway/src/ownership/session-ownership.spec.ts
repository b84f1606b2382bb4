import { randomUUID } from 'node:crypto';
import { renewLease, takeReplica } from '@attache/database';
import { expect, it } from 'vitest';
import { openScene, prepareJourney, type Scene } from '../__fixtures__/open-scene.ts';
import { createOwnership } from './session-ownership.ts';

/** Another living gateway. */
async function startOther({ deps: { db, doorbells } }: Scene) {
  const lost: string[] = [];
  const ownership = createOwnership({
    ...{ db, doorbells, replicaId: randomUUID(), isWaiting: () => true },
    onLost: ({ sessionId }) => lost.push(sessionId),
  });
  await takeReplica(db, { ...ownership.identity, leaseMs: 60_000 });
  return ownership;
}

it('keeps a session from others while its lease runs', async () => {
  const scene = await openScene();
  const other = await startOther(scene);
  expect(await other.claim(scene.session)).toBeUndefined();
  expect(() => other.fenceOf(scene.session)).toThrow('Another gateway owns the session now.');
});

it('says which other gateway owns a session, or had it last, while that one lives [BX-16]', async () => {
  const scene = await openScene();
  const { ownership } = scene.deps;
  const other = await startOther(scene);
  expect(await other.findOther(scene.session)).toBe(ownership.identity.incarnation);
  expect(await ownership.findOther(scene.session)).toBeUndefined();
  await ownership.release(scene.session);
  expect(await other.findOther(scene.session)).toBe(ownership.identity.incarnation);
  await renewLease(scene.deps.db, { ...ownership.identity, leaseMs: 0, state: 'gone' });
  expect(await other.findOther(scene.session)).toBeUndefined();
});

it('lets go of a session in which nothing is under way, and of no other', async () => {
  const [idle, busy] = [await openScene(), await openScene()];
  await prepareJourney(busy);
  expect(await busy.deps.ownership.release(busy.session)).toBe(false);
  expect(await idle.deps.ownership.release(idle.session)).toBe(true);
  expect(idle.deps.ownership.held()).toEqual([]);
  const other = await startOther(idle);
  expect(await other.claim(idle.session)).toEqual({ epoch: 2, isTakenOver: false, deaths: 0 });
});

it('takes over from one whose lease has ended, who then may write nothing any more', async () => {
  const scene = await openScene();
  const { ownership, db } = scene.deps;
  const other = await startOther(scene);
  await takeReplica(db, { ...ownership.identity, leaseMs: 0 });
  expect(await other.claim(scene.session)).toEqual({
    epoch: 2,
    isTakenOver: true,
    deaths: 0,
    goneMs: expect.any(Number),
  });
  const written = ownership.asOwner(scene.session, async () => 'written');
  await expect(written).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
  expect(scene.lost).toEqual([scene.sessionId]);
  expect(await other.asOwner(scene.session, async (_tx, epoch) => epoch)).toBe(2);
});

it('takes sessions of the tenant alone to which its gateway is pinned, and leaves the others to others [BX-22]', async () => {
  const [own, other] = [await openScene(), await openScene()];
  await own.deps.ownership.release(own.session);
  await other.deps.ownership.release(other.session);
  const pinned = createOwnership({
    doorbells: own.deps.doorbells,
    ...{ db: own.deps.db, replicaId: randomUUID(), pinnedTenant: own.tenantId, isWaiting: () => true },
    onLost: () => undefined,
  });
  await takeReplica(own.deps.db, { ...pinned.identity, leaseMs: 60_000 });
  expect(await pinned.claim(other.session)).toBeUndefined();
  expect(await pinned.claim(own.session)).toMatchObject({ epoch: 2 });
  expect(pinned.held()).toEqual([own.session]);
  expect(await (await startOther(other)).claim(other.session)).toMatchObject({ epoch: 2 });
});
