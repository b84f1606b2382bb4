import { randomUUID } from 'node:crypto';
import type { Part } from '@attache/contracts';
import { heldNothing, requireDecision } from '@attache/domain';
import { expect, it } from 'vitest';
import { readStoredAttachments } from '../../src/attachment/attachment-reader.ts';
import { deleteAttachment } from '../../src/attachment/attachment-writer.ts';
import type { Database } from '../../src/database.ts';
import { describeDelivery, findDelivery, readNextDelivery } from '../../src/delivery/delivery-reader.ts';
import { markWriting } from '../../src/delivery/mark-writing.ts';
import { acceptMessage, type NewMessage } from '../../src/message/message-writer.ts';
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
  it('prepares a delivery that has its parts in the same step, and tells its agent alone [DL-49 DL-61]', async () => {
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

  it('writes nothing of a file that was deleted after its delivery was prepared [DL-54 W16]', async () => {
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
