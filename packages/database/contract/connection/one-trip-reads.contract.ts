import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { heldNothing } from '@attache/domain';
import { expect, it } from 'vitest';
import { findAttachment, readStoredAttachments } from '../../src/attachment/attachment-reader.ts';
import { deleteAttachment } from '../../src/attachment/attachment-writer.ts';
import { revokeGrant } from '../../src/attachment/grant-writer.ts';
import type { Database } from '../../src/database.ts';
import { type DeliveryRow, findDelivery, readDraft, readNextDelivery } from '../../src/delivery/delivery-reader.ts';
import { markWriting } from '../../src/delivery/mark-writing.ts';
import { readNamed } from '../../src/message/named-reader.ts';
import { accessGrant } from '../../src/schema.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import type { Fence } from '../../src/session/owner/fence.ts';
import { claimSession } from '../../src/session/owner/session-owner-writer.ts';
import { endSession } from '../../src/session/session-writer.ts';
import {
  createAttachment,
  createDelivery,
  createPlace,
  createVariant,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import { createPrepared, prepare } from '../__fixtures__/prepare-delivery.ts';
import { plantedFailure, takeFact } from '../__fixtures__/take-fact.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

async function own(db: Database, place: Place) {
  const incarnation = randomUUID();
  const claim = await claimSession(db, { ...place, replicaId: incarnation, incarnation });
  return { incarnation, epoch: claim?.epoch ?? 0 };
}

/** The reads of its tenant's rows that a delivery needs, in one round trip each, and its mark before the first byte. */
export function describeOneTripReads(suite: DatabaseSuite): void {
  describeReading(suite);
  describeMarking(suite);
}

function describeReading({ useDb }: DatabaseSuite): void {
  it('gives rows as drizzle reads them: a delivery, its agent, what its message names', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    const variantId = randomUUID();
    await createVariant(db, place.tenantId, variantId);
    const deliveryId = await createPrepared(db, place, [attachmentId]);
    const next = await readNextDelivery(db, place);
    const [row, agents, stored] = await db.asTenant(place.tenantId, async (tx) => [
      await findDelivery(tx, deliveryId),
      await tx.query.agent.findMany(),
      await findAttachment(tx, attachmentId),
    ]);
    expect(next?.row).toEqual(row);
    expect(next?.row.createdAt).toBeInstanceOf(Date);
    expect([next?.agent]).toEqual(agents);
    expect(next?.sessionStatus).toBe('active');
    expect(next?.attachments).toEqual([stored]);
    expect(await readStoredAttachments(db, place.tenantId, [attachmentId])).toEqual([stored]);
    expect([...(stored?.variantKeys.keys() ?? [])]).toEqual([idFromUuid('variant', variantId)]);
  });

  it('gives the head of a line, and nothing while an earlier delivery is still queued', async () => {
    const db = useDb();
    const place = await createPlace(db);
    expect(await readNextDelivery(db, place)).toBeUndefined();
    const { deliveryId: first } = await createDelivery(db, place);
    await createPrepared(db, place);
    expect(await readNextDelivery(db, place)).toBeUndefined();
    expect((await readDraft(db, { ...place, deliveryId: first }))?.row.id).toBe(first);
    await prepare(db, place, first);
    expect((await readNextDelivery(db, place))?.row.id).toBe(first);
    expect(await readDraft(db, { ...place, deliveryId: first })).toBeUndefined();
  });

  it('says that the session has ended', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await createPrepared(db, place);
    await db.asTenant(place.tenantId, (tx) => endSession(tx, place.sessionId));
    expect((await readNextDelivery(db, place))?.sessionStatus).toBe('ended');
  });

  it('gives another tenant nothing of it [S29]', async () => {
    const db = useDb();
    const [place, { tenantId }] = [await createPlace(db), await createPlace(db)];
    const { attachmentId } = await createAttachment(db, place);
    const { deliveryId } = await createDelivery(db, place, [attachmentId]);
    const named = { agentIds: [place.agentId], attachmentIds: [attachmentId] };
    expect(await readNamed(db, { tenantId, sessionId: place.sessionId, ...named })).toBeUndefined();
    expect(await readDraft(db, { tenantId, deliveryId })).toBeUndefined();
    await prepare(db, place, deliveryId);
    expect((await readNextDelivery(db, place))?.row.id).toBe(deliveryId);
    expect(await readNextDelivery(db, { tenantId, agentId: place.agentId })).toBeUndefined();
    expect(await readStoredAttachments(db, tenantId, [attachmentId])).toEqual([]);
    expect(await readEvents(db, { tenantId, sessionId: place.sessionId, afterSeq: 0, limit: 10 })).toEqual([]);
  });

  it('names agents and attachments that are there, and leaves out what is not', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [kept, deleted] = [await createAttachment(db, place), await createAttachment(db, place)];
    await db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, deleted.attachmentId));
    const named = await readNamed(db, {
      ...place,
      agentIds: [place.agentId, randomUUID()],
      attachmentIds: [deleted.attachmentId, kept.attachmentId, randomUUID()],
    });
    expect(named?.session.id).toBe(place.sessionId);
    expect(named?.agents.map(({ id }) => id)).toEqual([place.agentId]);
    expect(named?.attachments.map(({ id }) => id)).toEqual([kept.attachmentId]);
  });
}

function describeMarking({ useDb }: DatabaseSuite): void {
  it('writes nothing of an attachment that was deleted meanwhile [SR-28]', async () => {
    const db = useDb();
    const { next, fence, attachmentId } = await claimNext(db);
    await db.asTenant(next.row.tenantId, (tx) => deleteAttachment(tx, attachmentId));
    expect(await mark(db, next.row, [attachmentId], fence)).toEqual({
      outcome: 'attachment-gone',
      attachmentId,
    });
    expect(await isMarked(db, next.row)).toBe(false);
  });

  it('writes nothing of an attachment whose grant ended meanwhile, and says so of what waits [SR-28 BX-09]', async () => {
    const db = useDb();
    const { next, fence, attachmentId, place } = await claimNext(db);
    expect(next.notGranted).toEqual([]);
    const deliveryId = await createPrepared(db, place, [attachmentId]);
    await revokeGrants(db, place);
    expect(await mark(db, next.row, [attachmentId], fence)).toEqual({ outcome: 'not-granted', attachmentId });
    expect(await isMarked(db, next.row)).toBe(false);
    const claimed = { ...next.row, status: 'claimed' } as const;
    await takeFact(db, claimed, { kind: 'failed', failure: plantedFailure, isForgotten: false }, { fence });
    for (const isSteered of [false, true]) {
      const waiting = await readNextDelivery(db, { ...place, isSteered });
      expect([waiting?.row.id, waiting?.notGranted]).toEqual([deliveryId, [attachmentId]]);
    }
    // An attachment that is not delivered needs no grant.
    expect(await mark(db, next.row, [], fence)).toEqual({ outcome: 'stale' });
  });
}

const mark = (db: Database, row: DeliveryRow, attachmentIds: readonly string[], fence: Fence) =>
  markWriting(db, row, { attachmentIds, targetVersion: 1, held: heldNothing }, fence);

/** A delivery with one attachment, taken by the owner of its session. */
async function claimNext(db: Database) {
  const place = await createPlace(db);
  const { attachmentId } = await createAttachment(db, place);
  await createPrepared(db, place, [attachmentId]);
  const fence = await own(db, place);
  const next = await readNextDelivery(db, place);
  if (!next) throw new Error('there is nothing to bring');
  expect(await takeFact(db, next.row, { kind: 'claimed', epoch: fence.epoch }, { fence })).toBe(true);
  return { place, attachmentId, fence, next };
}

async function isMarked(db: Database, { tenantId, id }: DeliveryRow): Promise<boolean> {
  const row = await db.asTenant(tenantId, (tx) => findDelivery(tx, id));
  return row?.writingAt !== null;
}

async function revokeGrants(db: Database, { tenantId, sessionId }: Place): Promise<void> {
  await db.asTenant(tenantId, async (tx) => {
    for (const { id } of await tx.select().from(accessGrant)) await revokeGrant(tx, sessionId, id);
  });
}
