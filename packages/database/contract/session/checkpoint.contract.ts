import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { expect, it } from 'vitest';
import { deleteAttachment } from '../../src/attachment/attachment-writer.ts';
import { reserveUpload } from '../../src/attachment/upload-writer.ts';
import { condemnUnusedBlobs } from '../../src/blob/blob-collection.ts';
import { readCheckpoint } from '../../src/checkpoint/checkpoint-reader.ts';
import { forgetCheckpoints, keepCheckpoint, type NewCheckpoint } from '../../src/checkpoint/checkpoint-writer.ts';
import type { Database } from '../../src/database.ts';
import { forgetEarlierAttempts } from '../../src/delivery/delivery-writer.ts';
import { removeAgent, setAgentTarget } from '../../src/session/agent-writer.ts';
import type { NewEvent } from '../../src/session/append-events.ts';
import type { Fence } from '../../src/session/owner/fence.ts';
import { claimSession, takeReplica } from '../../src/session/owner/session-owner-writer.ts';
import { endSession } from '../../src/session/session-writer.ts';
import {
  createAgent,
  createAttachment,
  createDelivery,
  createPlace,
  newReservation,
  type Place,
  sha256,
  target,
} from '../__fixtures__/database-fixtures.ts';
import { readUsage, sumUsage } from '../__fixtures__/usage.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const file = (packs: number) => ({
  ...{ path: 'talk.jsonl', sizeBytes: packs, sha256 },
  extents: Array.from({ length: packs }, (_, pack) => ({ pack, offset: 0, sizeBytes: 1 })),
});

/** A message whose first byte was written. */
async function bring(db: Database, place: Place): Promise<string> {
  const { deliveryId } = await createDelivery(db, place);
  await begin(db, place, deliveryId);
  return deliveryId;
}

const change = (db: Database, { tenantId }: Place, deliveryId: string, set: string) =>
  db.asTenant(tenantId, (tx) => tx.execute(`update delivery set ${set} where id = '${deliveryId}'`).then());

const begin = (db: Database, place: Place, deliveryId: string) =>
  change(db, place, deliveryId, 'writing_at = clock_timestamp()');

/** As a retry leaves a message that has failed: it waits, and its first attempt left something in the conversation. */
const retry = (db: Database, place: Place, deliveryId: string) =>
  change(
    db,
    place,
    deliveryId,
    `left_before = jsonb_build_object('bytes', 9, 'at', writing_at), writing_at = null, status = 'queued'`,
  );

const fences = new Map<string, Fence>();

/** The fence of a replica that owns the session. */
async function fenceOf(db: Database, { tenantId, sessionId }: Place): Promise<Fence> {
  const known = fences.get(sessionId);
  if (known) return known;
  const identity = { replicaId: randomUUID(), incarnation: randomUUID() };
  await takeReplica(db, { ...identity, leaseMs: 600_000 });
  const claim = await claimSession(db, { ...identity, tenantId, sessionId });
  const fence = { incarnation: identity.incarnation, epoch: claim?.epoch ?? 0 };
  fences.set(sessionId, fence);
  return fence;
}

type Rest = Partial<NewCheckpoint> & { former?: readonly string[] };

function newCheckpoint(place: Place, packs: string[]): NewCheckpoint {
  return {
    ...{ ...place, reference: 'talk-1', programVersion: '1.0', events: [] },
    ...{ targetVersion: 1, memoryVersion: 0, deliveryId: randomUUID(), packs, files: [file(packs.length)] },
    ...{ sizeBytes: packs.length, blobId: packs.at(-1) ?? '', rawBytes: 70, storedBytes: 40, sha256 },
  };
}

/** Keeps one whose packs are those of `former` and a new one; answers what came of it, and all its packs. */
async function keep(db: Database, place: Place, { former = [], ...rest }: Rest = {}) {
  const reservation = newReservation(place, { reserveBytes: 100 });
  await reserveUpload(db, reservation);
  const packs = [...former, reservation.blobId];
  const checkpoint = { ...newCheckpoint(place, packs), ...rest };
  const kept = await keepCheckpoint(db, checkpoint, await fenceOf(db, place));
  return { kept, packs, key: reservation.key };
}

const read = (db: Database, { tenantId, agentId }: Place) => readCheckpoint(db, { tenantId, agentId });
const stateOf = async (db: Database, { tenantId }: Place, blobId = '') =>
  (await db.asTenant(tenantId, (tx) => tx.query.blob.findMany())).find(({ id }) => id === blobId)?.state;

/** The stored memory of agents' programs. */
export function describeCheckpoints({ useDb }: DatabaseSuite): void {
  it('is current as long as nothing else was brought to its agent [BX-26]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    expect(await read(db, place)).toBeUndefined();
    const { kept, packs, key } = await keep(db, place, { deliveryId: await bring(db, place) });
    expect(kept).toEqual({ outcome: 'kept', released: [] });
    expect(await read(db, place)).toEqual({
      ...{ number: 1, reference: 'talk-1', programVersion: '1.0', sizeBytes: 1, isCurrent: true },
      ...{ files: [file(1)], packs: [{ blobId: packs[0], key, rawBytes: 70 }] },
    });
    await bring(db, place);
    expect(await read(db, place)).toMatchObject({ number: 1, isCurrent: false });
    const other = { ...place, agentId: await createAgent(db, place) };
    expect(await read(db, other)).toBeUndefined();
    const stranger = await createPlace(db);
    expect(await read(db, { ...place, tenantId: stranger.tenantId })).toBeUndefined();
  });

  it('is the one of before, where the last message is to be brought again [BX-26 DL-42]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await keep(db, place, { deliveryId: await bring(db, place) });
    const failed = await bring(db, place);
    await keep(db, place, { deliveryId: failed });
    expect(await read(db, place)).toMatchObject({ number: 2, isCurrent: true });
    await retry(db, place, failed);
    expect(await read(db, place)).toMatchObject({ number: 1, isCurrent: true });
    // It is brought for the second time: what was kept of the first one is out of date.
    await begin(db, place, failed);
    expect(await read(db, place)).toMatchObject({ number: 2, isCurrent: false });
  });

  it('is none that holds an earlier attempt of a message that is to be brought again [BX-26 DL-42]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const failed = await bring(db, place);
    await keep(db, place, { deliveryId: await bring(db, place) });
    await retry(db, place, failed);
    expect(await read(db, place)).toMatchObject({ number: 1, isCurrent: false });
    await db.asTenant(place.tenantId, (tx) => forgetEarlierAttempts(tx, place.agentId));
    expect(await read(db, place)).toMatchObject({ number: 1, isCurrent: true });
  });

  it('is one of the latest two; a pack goes when none of them names it, and its bytes count no more [BX-26 S32]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const first = await keep(db, place);
    const second = await keep(db, place, { former: first.packs });
    const third = await keep(db, place);
    expect(third.kept).toEqual({ outcome: 'kept', released: [] });
    const fourth = await keep(db, place, { former: third.packs });
    const released = [first.packs[0], second.packs[1]].toSorted();
    expect(fourth.kept).toMatchObject({ outcome: 'kept' });
    if (fourth.kept.outcome === 'kept') expect(fourth.kept.released.map(({ id }) => id).toSorted()).toEqual(released);
    expect(await read(db, place)).toMatchObject({ number: 4, packs: fourth.packs.map((blobId) => ({ blobId })) });
    expect(await readUsage(db, place)).toEqual(await sumUsage(db, place));
    expect(await readUsage(db, place)).toMatchObject({ used: 80, reserved: 0 });
  });

  it('is not collected while it may be needed [W12]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { packs } = await keep(db, place);
    const step = { tenantId: place.tenantId, blobIds: packs, now: '2100-01-01T00:00:00.000Z' };
    const retryableSince = new Date(0).toISOString();
    expect(await condemnUnusedBlobs(db, { ...step, retryableSince })).toMatchObject({ condemned: 0 });
    await db.asTenant(place.tenantId, (tx) => removeAgent(tx, place.sessionId, place.agentId));
    expect(await condemnUnusedBlobs(db, { ...step, retryableSince })).toMatchObject({ condemned: 1 });
  });

  it.each([
    ['its agent is removed', (place: Place) => (tx: Tx) => removeAgent(tx, place.sessionId, place.agentId)],
    ['its session ends', (place: Place) => (tx: Tx) => endSession(tx, place.sessionId)],
    [
      'its agent gets another target',
      (place: Place) => (tx: Tx) => setAgentTarget(tx, { ...place, version: 1 }, { ...target, model: 'other' }),
    ],
  ])('goes in the commit in which %s, and none is kept after it [BX-20]', async (_, change) => {
    const db = useDb();
    const place = await createPlace(db);
    const { packs } = await keep(db, place);
    await db.asTenant(place.tenantId, change(place));
    expect(await read(db, place)).toBeUndefined();
    const reserved = await keep(db, place).catch(() => undefined);
    if (reserved) expect(reserved.kept).toEqual({ outcome: 'outdated' });
    expect(await stateOf(db, place, packs[0])).toBe('live');
    expect((await forgetCheckpoints(db, place.tenantId, place.agentId)).map(({ id }) => id)).toEqual(packs);
    expect(await stateOf(db, place, packs[0])).toBe('deleted');
  });

  it('goes with each file that its agent could read, whatever became of the grant; others stay [BX-20]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const other = { ...place, agentId: await createAgent(db, place) };
    const { attachmentId } = await createAttachment(db, place);
    await db.asTenant(place.tenantId, (tx) =>
      tx
        .execute(
          `insert into access_grant (tenant_id, id, session_id, attachment_id, agent_id, revoked_at)
            values ('${place.tenantId}', '${randomUUID()}', '${place.sessionId}', '${attachmentId}', '${place.agentId}', now())`,
        )
        .then(),
    );
    for (const each of [place, other]) await keep(db, each);
    await db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, attachmentId));
    expect(await read(db, place)).toBeUndefined();
    expect(await read(db, other)).toMatchObject({ number: 1 });
    expect((await keep(db, place)).kept).toEqual({ outcome: 'outdated' });
    expect((await keep(db, place, { memoryVersion: 1 })).kept).toMatchObject({ outcome: 'kept' });
    expect(await read(db, place)).toMatchObject({ number: 1 });
  });

  it('is kept once, also where its answer was lost, with its event; and by nobody who does not own the session [W4]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const event = { agentId: idFromUuid('agent', place.agentId), deliveryId: idFromUuid('delivery', randomUUID()) };
    const facts = { files: 1, sizeBytes: 1, storedBytes: 1 };
    const actor = { type: 'service', id: 'runner-gateway' } as const;
    const events: NewEvent[] = [{ kind: 'agent.checkpointed', actor, data: { ...event, ...facts } }];
    const reservation = newReservation(place);
    await reserveUpload(db, reservation);
    const given = { ...newCheckpoint(place, [reservation.blobId]), events };
    const fence = await fenceOf(db, place);
    const lower = { ...fence, epoch: fence.epoch - 1 };
    await expect(keepCheckpoint(db, given, lower)).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
    expect(await read(db, place)).toBeUndefined();
    for (let count = 0; count < 2; count += 1)
      expect(await keepCheckpoint(db, given, fence)).toEqual({ outcome: 'kept', released: [] });
    const log = await db.asTenant(place.tenantId, (tx) => tx.query.sessionLog.findMany());
    expect(log.filter(({ kind }) => kind === 'agent.checkpointed')).toHaveLength(1);
    expect(await readUsage(db, place)).toMatchObject({ used: 40, reserved: 0 });
  });

  it('is not kept whose reservation has ended', async () => {
    const db = useDb();
    const place = await createPlace(db);
    expect((await keep(db, place, { blobId: randomUUID() })).kept).toEqual({ outcome: 'reservation-lost' });
    expect(await read(db, place)).toBeUndefined();
  });
}

type Tx = Parameters<typeof endSession>[0];
