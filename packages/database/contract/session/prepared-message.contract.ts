import { randomUUID } from 'node:crypto';
import type { Part } from '@attache/contracts';
import { heldNothing, requireDecision } from '@attache/domain';
import { expect, it } from 'vitest';
import { readStoredAttachments } from '../../src/attachment/attachment-reader.ts';
import { deleteAttachment } from '../../src/attachment/attachment-writer.ts';
import type { Database } from '../../src/database.ts';
import { describeDelivery, findDelivery, readNextDelivery, readRungHead } from '../../src/delivery/delivery-reader.ts';
import { stateOf } from '../../src/delivery/delivery-state.ts';
import { markWriting } from '../../src/delivery/mark-writing.ts';
import { composeOwnerWrite, type Seen, writeAsOwner } from '../../src/delivery/owner-writes.ts';
import { acceptMessage, type NewMessage } from '../../src/message/message-writer.ts';
import { readNamed } from '../../src/message/named-reader.ts';
import { claimMessages } from '../../src/outbox/outbox-queue.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import { claimSession, takeReplica } from '../../src/session/owner/session-owner-writer.ts';
import { createAttachment, createPlace, newMessage, type Place } from '../__fixtures__/database-fixtures.ts';
import { takeFact } from '../__fixtures__/take-fact.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';
import { expectNothingStored } from './message.contract.ts';

const atHand: Part[] = [{ type: 'text', text: 'hello' }];

/** Messages for which nothing is to be made. */
export function describePreparedMessages({ useDb }: DatabaseSuite): void {
  it('prepares a delivery that has its parts in the same step, and tells its agent alone [DL-61]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId, agentId } = place;
    const message = await newPrepared(db, place, await createAttachment(db, place));
    expect(await acceptMessage(db, message)).toEqual({ outcome: 'accepted', seq: 2 });
    const deliveryId = message.deliveries[0]?.id ?? '';
    const row = await db.asTenant(tenantId, (tx) => findDelivery(tx, deliveryId));
    expect(row).toMatchObject({ status: 'prepared', attempts: 1, parts: atHand, messageSeq: 2 });
    const delivery = row && (await db.asTenant(tenantId, (tx) => describeDelivery(tx, row)));
    expect(delivery?.timeline).toMatchObject([
      { status: 'queued', attempt: 1, actor: message.sender },
      { status: 'prepared', attempt: 1, actor: { type: 'service', id: 'ingest' } },
    ]);
    const events = await readEvents(db, { tenantId, sessionId, afterSeq: 1, limit: 10 });
    expect(events.map(({ kind }) => kind)).toEqual(['message.accepted', 'delivery.prepared']);
    const subjects = ['delivery.queued', 'delivery.prepared'] as const;
    const claimed = await claimMessages(db, { subjects, limit: 1000, leaseMs: 1000 });
    const own = claimed.filter((one) => one.tenantId === tenantId);
    expect(own.map(({ subject, data }) => [subject, data])).toEqual([
      ['delivery.prepared', { tenantId, sessionId, deliveryId, agentId }],
    ]);
    expect(await readNextDelivery(db, { tenantId, agentId })).toMatchObject({ row: { id: deliveryId } });
  });

  it('keeps nothing where a file is not as it was when parts were composed of it [A5]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const file = await createAttachment(db, place);
    const message = await newPrepared(db, place, file);
    const [was] = message.composedOf ?? [];
    if (!was) throw new Error('nothing was named');
    for (const changed of [
      { ...was, status: 'ready' as const },
      { ...was, blobKey: `${was.blobKey}0` },
    ])
      expect(await acceptMessage(db, { ...message, composedOf: [changed] })).toEqual({ outcome: 'attachment-changed' });
    await expectNothingStored(db, place);
    expect(await acceptMessage(db, message)).toMatchObject({ outcome: 'accepted' });
  });

  it('writes nothing of a file that was deleted after its delivery was prepared [W16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId } = place;
    const file = await createAttachment(db, place);
    const message = await newPrepared(db, place, file);
    await acceptMessage(db, message);
    const incarnation = randomUUID();
    await takeReplica(db, { replicaId: incarnation, incarnation, leaseMs: 60_000 });
    const claimed = await claimSession(db, { tenantId, sessionId, replicaId: incarnation, incarnation });
    const fence = { incarnation, epoch: claimed?.epoch ?? 0 };
    const read = async () => {
      const row = await db.asTenant(tenantId, (tx) => findDelivery(tx, message.deliveries[0]?.id ?? ''));
      if (!row) throw new Error('the delivery is gone');
      return row;
    };
    await takeFact(db, await read(), { kind: 'claimed', epoch: fence.epoch }, { fence });
    await db.asTenant(tenantId, (tx) => deleteAttachment(tx, file.attachmentId));
    const facts = { attachmentIds: [file.attachmentId], targetVersion: 1, held: heldNothing };
    const gone = { outcome: 'attachment-gone', attachmentId: file.attachmentId };
    expect(await markWriting(db, await read(), facts, fence)).toEqual(gone);
    expect((await read()).writingAt).toBeNull();
  });
}

/** A ring for the first delivery in an agent's line brings the rows that its gateway would read. */
export function describeRungHeads({ useDb, whileRinging, takeEarly }: DatabaseSuite): void {
  const openOwned = async (db: Database) => {
    const place = await createPlace(db);
    const identity = { replicaId: randomUUID(), incarnation: randomUUID() };
    await takeReplica(db, { ...identity, leaseMs: 60_000 });
    const claimed = await claimSession(db, { ...identity, ...place });
    return { place, fence: { incarnation: identity.incarnation, epoch: claimed?.epoch ?? 0 } };
  };
  const accept = async (db: Database, place: Place, text = 'hello') => {
    const message = { ...(await newPrepared(db, place, await createAttachment(db, place))), text };
    const { tenantId, sessionId, agentId } = place;
    const named = await readNamed(db, {
      tenantId,
      sessionId,
      agentIds: [agentId],
      attachmentIds: message.attachmentIds,
    });
    const [rung] = await whileRinging(30_000, () => acceptMessage(db, { ...message, found: named?.found }));
    const deliveryId = message.deliveries[0]?.id ?? '';
    const head = JSON.parse(JSON.stringify(rung?.head ?? null)) ?? undefined;
    return { deliveryId, head, next: readRungHead(head, { tenantId, sessionId, agentId, deliveryId }) };
  };

  it('is told of before the commit, with the blobs that it brings, where its agent is idle', async () => {
    const db = useDb();
    const { place, fence } = await openOwned(db);
    const { tenantId, sessionId, agentId } = place;
    const file = await createAttachment(db, place);
    const [stored] = await readStoredAttachments(db, tenantId, [file.attachmentId]);
    if (!stored) throw new Error('the file is gone');
    const { id: attachmentId, sizeBytes, sha256 = '', mimeType } = stored.attachment;
    const parts: Part[] = [{ type: 'text-file', name: 'a', bytes: { attachmentId, sizeBytes, sha256, mimeType } }];
    const ids = { tenantId, sessionId, agentIds: [agentId], attachmentIds: [file.attachmentId] };
    const found = (await readNamed(db, ids))?.found;
    const send = async (isForIdle: boolean, change: Partial<NewMessage> = {}) => {
      const message = await newPrepared(db, place, file);
      const deliveries = message.deliveries.map((one) => {
        const prepare = one.prepare && { ...one.prepare, move: { ...one.prepare.move, set: { parts } } };
        return { ...one, isForIdle, prepare };
      });
      takeEarly();
      const { outcome } = await acceptMessage(db, { ...message, deliveries, found, ...change });
      return { outcome, early: takeEarly(), deliveryId: deliveries[0]?.id };
    };
    const told = await send(true);
    const data = { tenantId, sessionId, agentId, deliveryId: told.deliveryId };
    expect(told.early).toEqual([{ owner: fence.incarnation, data, blobs: [{ key: stored.blobKey, sizeBytes }] }]);
    expect((await send(false)).early).toEqual([]);
    expect((await send(true, { found: undefined })).early).toEqual([]);
    // It says nothing of what becomes of the commit.
    const refused = await send(true, { attachmentIds: [randomUUID()] });
    expect([refused.outcome, refused.early.length]).toEqual(['attachment-gone', 1]);
  });

  it('is what the head of the line is when it is read', async () => {
    const db = useDb();
    const { place } = await openOwned(db);
    const { next, deliveryId } = await accept(db, place);
    const read = await readNextDelivery(db, place);
    expect(next?.row.id).toBe(deliveryId);
    expect(next).toEqual({ ...read, isRung: true });
  });

  it('is not there for what comes behind another, nor where nobody owns the session', async () => {
    const db = useDb();
    const { place } = await openOwned(db);
    expect((await accept(db, await createPlace(db))).head).toBeUndefined();
    await accept(db, place);
    expect((await accept(db, place)).head).toBeUndefined();
  });

  it('counts for no other tenant, session, agent or delivery, nor in any other form', async () => {
    const db = useDb();
    const { place } = await openOwned(db);
    const { head, deliveryId } = await accept(db, place);
    const { tenantId, sessionId, agentId } = place;
    const rung = { tenantId, sessionId, agentId, deliveryId };
    for (const key of ['tenantId', 'sessionId', 'agentId', 'deliveryId'] as const)
      expect(readRungHead(head, { ...rung, [key]: randomUUID() })).toBeUndefined();
    const { row, ...rest } = head;
    const broken = [
      null,
      7,
      [],
      {},
      rest,
      { ...head, row: { ...row, status: 'written' } },
      { ...head, attachments: 1 },
    ];
    for (const form of [
      ...broken,
      { ...head, row: { ...row, parts: 'hello' } },
      { ...head, row: { ...row, plan: null } },
    ])
      expect(readRungHead(form, rung)).toBeUndefined();
  });

  it('is claimed only where the database has the same plan and parts', async () => {
    const db = useDb();
    const { place, fence } = await openOwned(db);
    const { next } = await accept(db, place);
    if (!next) throw new Error('nothing was rung for');
    const { row } = next;
    const claim = async (seen: Seen) => {
      const decision = requireDecision(stateOf(row), { kind: 'claimed', epoch: fence.epoch });
      const writing = { attachmentIds: [], targetVersion: 1, held: heldNothing };
      const writes = [composeOwnerWrite({ decision, writing, seen })];
      const { outcomes } = await writeAsOwner(db, { session: place, fence, writes, isRepeated: false });
      return outcomes[0]?.outcome;
    };
    const { plan, parts } = row;
    const { memoryVersion } = next.agent;
    expect(await claim({ plan, memoryVersion, parts: [{ type: 'text', text: 'planted' }] })).toBe('stale');
    expect(await claim({ plan: { ...plan, decision: 'blocked' }, memoryVersion, parts })).toBe('stale');
    // A file was deleted since that its process may remember.
    expect(await claim({ plan, memoryVersion: memoryVersion - 1, parts })).toBe('stale');
    expect(await readNextDelivery(db, place)).toMatchObject({ row: { status: 'prepared', writingAt: null } });
    expect(await claim({ plan, parts, memoryVersion })).toBe('written');
  });
}

/** A message whose delivery has its parts: of these attachments, as they are. */
async function newPrepared(db: Database, place: Place, ...files: { attachmentId: string }[]): Promise<NewMessage> {
  const message = newMessage(
    place,
    files.map(({ attachmentId }) => attachmentId),
  );
  const { tenantId, sessionId, agentId } = place;
  const deliveries = message.deliveries.map((delivery) => {
    const ids = { tenantId, sessionId, agentId, messageId: message.messageId, deliveryId: delivery.id };
    const state = { ...ids, attempt: 1, status: 'queued' } as const;
    return { ...delivery, prepare: requireDecision(state, { kind: 'parts-at-hand', parts: atHand }) };
  });
  const stored = await readStoredAttachments(db, tenantId, message.attachmentIds);
  const composedOf = stored.map(({ id, blobKey, attachment: { status } }) => ({ id, blobKey, status }));
  return {
    ...{ ...message, deliveries, composedOf },
    events: [...message.events, ...deliveries.flatMap(({ prepare }) => prepare.events)],
  };
}
