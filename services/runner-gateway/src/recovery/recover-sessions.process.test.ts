import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import {
  type Database,
  endSession,
  filterOwnedSessions,
  findDelivery,
  markWriting,
  readEvents,
  readFormerSessions,
  takeReplica,
} from '@attache/database';
import { copyPgliteFolder, createDelivery, createPlace, type Place, takeFact } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { heldNothing } from '@attache/domain';
import { createLocalDoorbells } from '@attache/event-bus';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DeliverDeps } from '../deliver/deliver.ts';
import { createOwnership, type SessionOwnership } from '../ownership/session-ownership.ts';
import { createSessionRegistry } from '../ownership/session-registry.ts';
import { recoverSessions, settleSession } from './recover-sessions.ts';
import type { SuspectLanes } from './suspect-line.ts';
import { settleStranded } from './watch-stranded.ts';

let folder: string;
let db: Database;
beforeAll(async () => {
  folder = await copyPgliteFolder();
  db = await connectPglite({ folder });
});
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

const log = createLogger({ service: 'test', level: 'silent' });

/** A gateway's view of the sessions, without agents: what its lanes get is noted. */
async function startLife(replicaId: string = randomUUID(), deadIncarnation?: string) {
  const ownership = createOwnership({
    ...{ db, identity: { replicaId, incarnation: randomUUID() }, isWaiting: () => true, onLost: () => undefined },
    doorbells: createLocalDoorbells(),
  });
  await takeReplica(db, { ...ownership.identity, leaseMs: 60_000, deadIncarnation });
  const woken: string[] = [];
  const underWay = new Set<string>();
  const quiet = new Set<string>();
  const lanes = {
    wake: (_session: unknown, agentId: string) => void woken.push(agentId),
    isUnderWay: (id: string) => underWay.has(id),
    filterBusy: (held: readonly { sessionId: string }[]) => held.filter(({ sessionId }) => !quiet.has(sessionId)),
    noteQuiet: (sessionId: string) => void quiet.add(sessionId),
    suspect: () => undefined,
  } as unknown as SuspectLanes;
  const deps = { db, log, ownership, settings: { agentsFolder: folder } } as unknown as DeliverDeps;
  return { ownership, deps, lanes, woken, underWay, quiet };
}

/** A delivery that a gateway has brought as far as `claimed`, or to the moment before its first byte. */
async function leaveClaimed(ownership: SessionOwnership, place: Place, isWriting: boolean): Promise<string> {
  const { deliveryId } = await createDelivery(db, place);
  const { tenantId } = place;
  const read = async () => {
    const row = await db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId));
    if (!row) throw new Error('the delivery is gone');
    return row;
  };
  await ownership.claim(place);
  const fence = ownership.fenceOf(place);
  await takeFact(db, await read(), { kind: 'parts-built', parts: [] });
  await takeFact(db, await read(), { kind: 'claimed', epoch: fence.epoch }, { fence });
  if (isWriting) await markWriting(db, await read(), { attachmentIds: [], targetVersion: 1, held: heldNothing }, fence);
  return deliveryId;
}

const stateOf = (place: Place, deliveryId: string) =>
  db.readAsTenant(place.tenantId, async (tx) => {
    const row = await findDelivery(tx, deliveryId);
    return { status: row?.status, code: (row?.failure as { code?: string } | null)?.code };
  });

describe('what an owner leaves that dies', () => {
  it.each([
    ['before the first byte is given back [DL-61 W16]', false, { status: 'prepared' }, 'delivery.queued'],
    [
      'with the first byte perhaps out is of unknown outcome, and never sent twice [DL-61 W16]',
      true,
      { status: 'failed', code: 'delivery_outcome_unknown' },
      'delivery.failed',
    ],
  ])('%s', async (_title, isWriting, expected, told) => {
    const place = await createPlace(db);
    const former = await startLife();
    const deliveryId = await leaveClaimed(former.ownership, place, isWriting);
    const { replicaId, incarnation } = former.ownership.identity;
    const { ownership, deps, lanes, woken } = await startLife(replicaId, incarnation);
    expect(await ownership.claim(place)).toEqual({
      epoch: 2,
      isTakenOver: true,
      deaths: 1,
      goneMs: expect.any(Number),
    });
    await settleSession(deps, lanes, place, { deaths: 1 });
    expect(await stateOf(place, deliveryId)).toEqual({ code: undefined, ...expected });
    expect(woken).toEqual([place.agentId]);
    const events = await readEvents(db, { ...place, afterSeq: 0, limit: 100 });
    const deliveryEvents = events.filter(({ kind }) => kind.startsWith('delivery.'));
    expect(deliveryEvents).toMatchObject([{ kind: told, data: { attempt: 1 } }]);
  });
});

describe('a start after a kill', () => {
  it('lets go of all that is over, a few at a time, and keeps what continues [W16]', async () => {
    const former = await startLife();
    const places = await Promise.all(Array.from({ length: 40 }, () => createPlace(db)));
    for (const place of places) await former.ownership.claim(place);
    const [busy, ...over] = places as [Place, ...Place[]];
    const deliveryId = await leaveClaimed(former.ownership, busy, false);
    for (const place of over) await db.asTenant(place.tenantId, (tx) => endSession(tx, place.sessionId));
    const { replicaId, incarnation } = former.ownership.identity;
    const { ownership, deps, lanes } = await startLife(replicaId, incarnation);
    let most = 0;
    let now = 0;
    const sessions = createSessionRegistry({
      ownership,
      isEntitled: () => true,
      async settle(session, claim) {
        now += 1;
        most = Math.max(most, now);
        await settleSession(deps, lanes, session, claim);
        now -= 1;
      },
      isBusy: () => false,
      stopAll: async () => undefined,
      rest: async () => undefined,
      onError: (error) => {
        throw error;
      },
    });
    await recoverSessions(deps, sessions);
    await sessions.settled();
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
    expect(await readFormerSessions(db, ownership.identity, { limit: 10 })).toEqual([]);
    const { tenantId, sessionId } = busy;
    expect(await filterOwnedSessions(db, ownership.identity, [{ tenantId, sessionId }])).toEqual([
      { tenantId, sessionId },
    ]);
    expect(await stateOf(busy, deliveryId)).toMatchObject({ status: 'prepared' });
    // No row of them is left: the next epoch is the first one.
    for (const place of over) expect(await ownership.claim(place)).toEqual({ epoch: 1, isTakenOver: false, deaths: 0 });
  });
});

describe('a delivery on which no lane works', () => {
  const sessions = { visit: async () => ({ [Symbol.dispose]: () => undefined }) } as unknown as Parameters<
    typeof settleStranded
  >[2];

  it.each([
    [false, { status: 'prepared' }],
    [true, { status: 'failed', code: 'delivery_outcome_unknown' }],
  ])('is settled by the second look at it (first byte perhaps out: %s) [DL-61]', async (isWriting, expected) => {
    const place = await createPlace(db);
    const { ownership, deps, lanes, woken } = await startLife();
    const deliveryId = await leaveClaimed(ownership, place, isWriting);
    const seen = await settleStranded(deps, lanes, sessions, new Map());
    expect(await stateOf(place, deliveryId)).toMatchObject({ status: 'claimed' });
    expect(await settleStranded(deps, lanes, sessions, seen)).toEqual(new Map());
    expect(await stateOf(place, deliveryId)).toEqual({ code: undefined, ...expected });
    expect(woken).toEqual([place.agentId]);
    const kinds = (await readEvents(db, { ...place, afterSeq: 0, limit: 50 })).map(({ kind }) => kind);
    expect(kinds.includes('delivery.failed')).toBe(isWriting);
  });

  it('is looked for in no session in which nothing was begun since the last look [BX-27]', async () => {
    const place = await createPlace(db);
    const { ownership, deps, lanes, quiet } = await startLife();
    await ownership.claim(place);
    const readAsTenant = vi.fn<Database['readAsTenant']>((...given) => db.readAsTenant(...given) as never);
    const counted = { ...deps, db: { ...db, readAsTenant } as Database };
    let seen = await settleStranded(counted, lanes, sessions, new Map());
    expect([readAsTenant.mock.calls.length, quiet.has(place.sessionId)]).toEqual([1, true]);
    for (let look = 0; look < 3; look += 1) seen = await settleStranded(counted, lanes, sessions, seen);
    expect(readAsTenant).toHaveBeenCalledOnce();
  });

  it('is let alone while a lane works on it, however long', async () => {
    const place = await createPlace(db);
    const { ownership, deps, lanes, underWay } = await startLife();
    const deliveryId = await leaveClaimed(ownership, place, true);
    underWay.add(deliveryId);
    const seen = await settleStranded(deps, lanes, sessions, new Map());
    await settleStranded(deps, lanes, sessions, seen);
    expect(await stateOf(place, deliveryId)).toMatchObject({ status: 'claimed' });
  });
});
