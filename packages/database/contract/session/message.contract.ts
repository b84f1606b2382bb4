import { randomUUID } from 'node:crypto';
import { deliverySchema } from '@attache/contracts';
import { requireDecision } from '@attache/domain';
import { expect, it } from 'vitest';
import { deleteAttachment } from '../../src/attachment/attachment-writer.ts';
import { isGranted, readGrantedAttachments } from '../../src/attachment/grant-reader.ts';
import type { Database } from '../../src/database.ts';
import {
  describeDelivery,
  findDelivery,
  readDeliveriesOfAgent,
  readDraft,
} from '../../src/delivery/delivery-reader.ts';
import { stateOf } from '../../src/delivery/delivery-state.ts';
import { applyInTransaction } from '../../src/delivery/delivery-writer.ts';
import { openIdempotency } from '../../src/idempotency/idempotency-writer.ts';
import { acceptMessage } from '../../src/message/message-writer.ts';
import { claimMessages } from '../../src/outbox/outbox-queue.ts';
import { removeAgent } from '../../src/session/agent-writer.ts';
import { endSession } from '../../src/session/session-writer.ts';
import {
  createAgent,
  createAttachment,
  createDelivery,
  createPlace,
  createSession,
  newMessage,
  newPlan,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import { countRows } from '../connection/catalog-tables.contract.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

/** Accepting a message: all of it, or nothing. */
export function describeMessages(suite: DatabaseSuite): void {
  describeAccepting(suite);
  describeRefusing(suite);
}

function describeAccepting({ useDb }: DatabaseSuite): void {
  it('makes message, text, deliveries, grants and bus messages true together [AT-02 DL-98 SR-28]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, agentId } = place;
    const first = await createAttachment(db, place);
    const second = await createAttachment(db, place);
    const other = await createAgent(db, place);
    const named = [second.attachmentId, first.attachmentId];
    const { messageId, deliveryId, seq } = await createDelivery(db, place, named);
    expect(seq).toBe(3);
    const [granted, foreign] = await db.asTenant(tenantId, async (tx) => [
      await readGrantedAttachments(tx, agentId),
      await isGranted(tx, other, first.attachmentId),
    ]);
    const draft = await readDraft(db, { tenantId, deliveryId });
    expect(draft).toMatchObject({ text: 'hello', row: { id: deliveryId, messageId } });
    expect(draft?.attachments.map(({ id }) => id).toSorted()).toEqual(named.toSorted());
    expect(granted.toSorted()).toEqual(named.toSorted());
    expect(foreign).toBe(false);
    const claimed = await claimMessages(db, { subjects: ['delivery.queued'], limit: 1000, leaseMs: 1000 });
    const own = claimed.filter((message) => message.tenantId === tenantId);
    expect(own.map(({ data }) => data)).toEqual([{ tenantId, sessionId: place.sessionId, deliveryId }]);
  });

  it('freezes the plan into each delivery and starts its timeline', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { deliveryId } = await createDelivery(db, place);
    const delivery = await db.asTenant(place.tenantId, async (tx) => {
      const row = await findDelivery(tx, deliveryId);
      return row && describeDelivery(tx, row);
    });
    expect(deliverySchema.parse(delivery)).toEqual(delivery);
    expect(delivery).toMatchObject({ status: 'queued', attempts: 1, plan: newPlan(place.agentId), schemaVersion: 1 });
    expect(delivery?.timeline).toMatchObject([
      { status: 'queued', attempt: 1, actor: { type: 'service', id: 'ingest' } },
    ]);
  });

  it('orders the deliveries of an agent by the seq of their messages', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const sent = await Promise.all(Array.from({ length: 6 }, () => createDelivery(db, place)));
    const rows = await db.asTenant(place.tenantId, (tx) => readDeliveriesOfAgent(tx, place.agentId, ['queued']));
    const inOrder = sent.toSorted((a, b) => a.seq - b.seq).map(({ deliveryId }) => deliveryId);
    expect(rows.map(({ id }) => id)).toEqual(inOrder);
    expect(new Set(sent.map(({ seq }) => seq)).size).toBe(6);
  });

  it('keeps the answer with its effects, for a repeated send [W2 DL-44]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const key = { route: 'sendMessage', sessionId: place.sessionId, key: randomUUID() };
    const answer = { fingerprint: 'f1', status: 202, sealedAnswer: 'sealed' };
    await openIdempotency(db, place.tenantId, key);
    await acceptMessage(db, { ...newMessage(place), idempotency: { ...key, ...answer } });
    const again = await openIdempotency(db, place.tenantId, key);
    expect(again).toEqual({ state: 'done', ...answer });
  });
}

/** Checks that nothing of a refused message is stored. */
export async function expectNothingStored(db: Database, { tenantId }: Place): Promise<void> {
  for (const table of ['message', 'message_text', 'message_attachment', 'delivery', 'access_grant']) {
    expect({ table, rows: await db.asTenant(tenantId, (tx) => countRows(tx, table)) }).toEqual({ table, rows: 0 });
  }
}

function describeRefusing({ useDb }: DatabaseSuite): void {
  it('refuses an ended session, and stores nothing', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await db.asTenant(place.tenantId, (tx) => endSession(tx, place.sessionId));
    expect(await acceptMessage(db, newMessage(place))).toEqual({ outcome: 'session-ended' });
    await expectNothingStored(db, place);
  });

  it('refuses one more for an agent that has as many as it may, until one of them ends [BX-32]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const other = { ...place, agentId: await createAgent(db, place) };
    const accept = (to: typeof place) => acceptMessage(db, { ...newMessage(to), maxWaiting: 2 });
    const outcomes = [await accept(place), await accept(place), await accept(place), await accept(other)];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'line-full', 'accepted']);
    await db.asTenant(place.tenantId, async (tx) => {
      const [first] = await readDeliveriesOfAgent(tx, place.agentId, ['queued']);
      if (!first) throw new Error('no delivery waits');
      await applyInTransaction(
        tx,
        requireDecision(stateOf(first), { kind: 'cancelled', actor: { type: 'service', id: 'ingest' } }),
      );
    });
    expect((await accept(place)).outcome).toBe('accepted');
  });

  it('refuses an agent that was removed, or that is of another session or tenant [S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const removed = await createAgent(db, place);
    await db.asTenant(place.tenantId, (tx) => removeAgent(tx, place.sessionId, removed));
    const sessionId = await createSession(db, place.tenantId);
    const elsewhere = await createAgent(db, { tenantId: place.tenantId, sessionId });
    for (const agentId of [removed, elsewhere, (await createPlace(db)).agentId, randomUUID()]) {
      expect(await acceptMessage(db, newMessage({ ...place, agentId }))).toEqual({ outcome: 'agent-gone' });
    }
    await expectNothingStored(db, place);
  });

  it('refuses an attachment that was deleted, or that is of another session or tenant [A5 S2 S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const own = await createAttachment(db, place);
    const deleted = await createAttachment(db, place);
    await db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, deleted.attachmentId));
    const sessionId = await createSession(db, place.tenantId);
    const elsewhere = await createAttachment(db, { tenantId: place.tenantId, sessionId });
    const foreign = await createAttachment(db, await createPlace(db));
    for (const { attachmentId } of [deleted, elsewhere, foreign, { attachmentId: randomUUID() }]) {
      const message = newMessage(place, [own.attachmentId, attachmentId]);
      expect(await acceptMessage(db, message)).toEqual({ outcome: 'attachment-gone' });
    }
    await expectNothingStored(db, place);
  });
}
