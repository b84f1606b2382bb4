import { randomUUID } from 'node:crypto';
import { type ConsumerName, consumerOfSubject, type Failure, idFromUuid, type Subject } from '@attache/contracts';
import { and, eq } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { buryMessage } from '../../src/dead-letters/bury-message.ts';
import { replayDeadLetter } from '../../src/dead-letters/dead-letter-writer.ts';
import { describeDelivery, findDelivery } from '../../src/delivery/delivery-reader.ts';
import { markHandled } from '../../src/outbox/inbox-writer.ts';
import { claimMessages, releaseClaims } from '../../src/outbox/outbox-queue.ts';
import { insertOutboxMessage } from '../../src/outbox/outbox-writer.ts';
import { settleDone } from '../../src/outbox/relay-queue.ts';
import { attachment, outbox } from '../../src/schema.ts';
import { setAgentTarget } from '../../src/session/agent-writer.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import { endSession } from '../../src/session/session-writer.ts';
import { countRoundTrips } from '../__fixtures__/count-round-trips.ts';
import {
  createAttachment,
  createDelivery,
  createPlace,
  type Place,
  target,
} from '../__fixtures__/database-fixtures.ts';
import { takeFact } from '../__fixtures__/take-fact.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

type Death = { db: Database; place: Place; id: string; consumer: ConsumerName };

/** Publishes a message and lets it die. */
async function die(
  db: Database,
  place: Place,
  message: { subject: Subject; consumer?: ConsumerName; data: Record<string, string> },
): Promise<Death> {
  const id = uuidV7();
  const { subject, consumer = 'projector' } = message;
  const { tenantId, sessionId } = place;
  const data = { tenantId, sessionId, ...message.data };
  await insertOutboxMessage(db, { id, subject, data });
  await buryMessage(db, { tenantId, id, consumer, subject, data }, { reason: 'why', attempts: 5 });
  return { db, place, id, consumer };
}

const dieQueued = (db: Database, place: Place, deliveryId: string) =>
  die(db, place, { subject: 'delivery.queued', data: { deliveryId } });

const replay = ({ db, place, id, consumer }: Death) => replayDeadLetter(db, { tenantId: place.tenantId, id, consumer });

async function readDelivery(db: Database, { tenantId }: Place, deliveryId: string) {
  return db.asTenant(tenantId, async (tx) => {
    const row = await findDelivery(tx, deliveryId);
    if (!row) throw new Error('the delivery is gone');
    return { row, timeline: (await describeDelivery(tx, row)).timeline };
  });
}

async function prepare(db: Database, place: Place, deliveryId: string): Promise<void> {
  const { row } = await readDelivery(db, place, deliveryId);
  await takeFact(db, row, { kind: 'parts-built', parts: [] });
}

/** The state after a manual retry that failed again, which names a letter or none. */
async function failAgain(db: Database, place: Place, deliveryId: string, deadLetter?: string): Promise<void> {
  const { row } = await readDelivery(db, place, deliveryId);
  const failure: Failure = {
    ...{ code: 'attachment_missing', severity: 'error', userMessage: 'm', diagnostic: 'd' },
    ...{ retryable: true, ...(deadLetter === undefined ? {} : { safeDetails: { deadLetter } }) },
  };
  await takeFact(db, row, { kind: 'retried', actor: { type: 'service', id: 'ingest' } });
  await takeFact(db, { ...row, attempts: 2, status: 'queued' }, { kind: 'plan-failed', failure });
}

const readAttachment = (db: Database, { tenantId }: Place, attachmentId: string) =>
  db.asTenant(tenantId, async (tx) => (await tx.select().from(attachment).where(eq(attachment.id, attachmentId)))[0]);

const countWaiting = (db: Database, { tenantId }: Place, subject: Subject) =>
  db.asWorker((tx) =>
    tx.$count(outbox, and(eq(outbox.tenantId, tenantId), eq(outbox.subject, subject), eq(outbox.state, 'waiting'))),
  );

const readKinds = async (db: Database, { tenantId, sessionId }: Place) =>
  (await readEvents(db, { tenantId, sessionId, afterSeq: 0, limit: 100 })).map(({ kind }) => kind);

/** The effects of a dead letter on whatever waited for its message, and how a replay revokes them. */
export function describeBurials(suite: DatabaseSuite): void {
  describeDeaths(suite);
  describeRoundTrips(suite);
  describeFences(suite);
  describeReplays(suite);
}

function describeDeaths({ useDb, takeRung }: DatabaseSuite): void {
  it('fails the delivery whose message died, retryable, so that its line continues [W10 DL-42]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { deliveryId } = await createDelivery(db, place);
    takeRung();
    const { id } = await dieQueued(db, place, deliveryId);
    expect(takeRung()).toEqual(expect.arrayContaining([`log:${place.sessionId}`, 'outbox:delivery.stopped']));
    const { row, timeline } = await readDelivery(db, place, deliveryId);
    const failure = { code: 'delivery_runtime_transport_failed', retryable: true, safeDetails: { deadLetter: id } };
    expect(row).toMatchObject({ status: 'failed', failure });
    expect(timeline.at(-1)).toMatchObject({ status: 'failed', code: failure.code, actor: { id: 'projector' } });
    expect(await readKinds(db, place)).toContain('delivery.failed');
    expect(await countWaiting(db, place, 'delivery.stopped')).toBe(1);
  });

  it('fails one that waits for its gateway likewise, and none that has gone on [W10]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [waiting, gone] = [await createDelivery(db, place), await createDelivery(db, place)];
    for (const { deliveryId } of [waiting, gone]) await prepare(db, place, deliveryId);
    await dieQueued(db, place, gone.deliveryId);
    const data = { deliveryId: waiting.deliveryId };
    await die(db, place, { subject: 'delivery.prepared', consumer: 'runner-gateway', data });
    expect((await readDelivery(db, place, gone.deliveryId)).row).toMatchObject({ status: 'prepared', failure: null });
    expect((await readDelivery(db, place, waiting.deliveryId)).row.status).toBe('failed');
  });

  it('rejects the attachment whose inspection died, retryable [W10]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    const { id } = await die(db, place, { subject: 'attachment.added', data: { attachmentId } });
    const failure = {
      ...{ code: 'attachment_pending', retryable: true, safeDetails: { deadLetter: id } },
      attachmentId: idFromUuid('attachment', attachmentId),
    };
    expect(await readAttachment(db, place, attachmentId)).toMatchObject({ status: 'rejected', failure });
    expect(await readKinds(db, place)).toContain('attachment.rejected');
  });

  it('changes nothing where the message was settled before, or names what is not its own [W10 S29]', async () => {
    const db = useDb();
    const [place, other] = [await createPlace(db), await createPlace(db)];
    const { tenantId, sessionId } = place;
    const { deliveryId } = await createDelivery(db, place);
    const before = await readKinds(db, place);
    const id = uuidV7();
    const message = { tenantId, id, subject: 'delivery.queued', data: { tenantId, sessionId, deliveryId } } as const;
    await insertOutboxMessage(db, message);
    await settleDone(db, [message]);
    const late = await buryMessage(db, { ...message, consumer: 'projector' }, { reason: 'late', attempts: 1 });
    expect(late).toEqual({ isBuried: false });
    await dieQueued(db, other, deliveryId);
    await dieQueued(db, place, 'none');
    expect((await readDelivery(db, place, deliveryId)).row.status).toBe('queued');
    expect(await readKinds(db, place)).toEqual(before);
  });
}

function describeRoundTrips({ useDb }: DatabaseSuite): void {
  // Fewer where a delivery is moved: by one statement, of up to three before.
  it.each([
    { subject: 'delivery.queued', burial: 5, replayed: 9, before: [7, 10] },
    { subject: 'delivery.prepared', burial: 5, replayed: 9, before: [7, 11] },
    { subject: 'attachment.added', burial: 4, replayed: 5, before: [4, 5] },
    { subject: 'delivery.stopped', burial: 2, replayed: 5, before: [2, 5] },
  ] as const)('a death of $subject takes $burial round trips, its replay $replayed, of $before', async (given) => {
    const place = await createPlace(useDb());
    const { deliveryId } = await createDelivery(useDb(), place);
    if (given.subject === 'delivery.prepared') await prepare(useDb(), place, deliveryId);
    const { attachmentId } = await createAttachment(useDb(), place);
    const { db, take } = countRoundTrips(useDb());
    const consumer = consumerOfSubject(given.subject);
    const data = given.subject === 'attachment.added' ? { attachmentId } : { deliveryId };
    const death = await die(db, place, { subject: given.subject, consumer, data });
    // Its message took two.
    const burial = take() - 2;
    expect(await replay(death)).toBe('replayed');
    expect([burial, take()]).toEqual([given.burial, given.replayed]);
  });
}

function describeFences({ useDb }: DatabaseSuite): void {
  it('is not said by an attempt or an emission that has the message no more [W8 W10]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId } = place;
    const id = uuidV7();
    const data = { tenantId, sessionId, agentId: place.agentId };
    await insertOutboxMessage(db, { id, subject: 'agent.removed', data });
    const message = { tenantId, id, consumer: 'runner-gateway', subject: 'agent.removed', data } as const;
    for (const attempt of [1, 2]) {
      const claim = { subjects: ['agent.removed'], limit: 1000, leaseMs: 3_600_000 };
      const claimed = (await claimMessages(db, claim)).find((one) => one.id === id);
      expect(claimed?.attempt).toBe(attempt);
      if (attempt === 1) await releaseClaims(db);
    }
    const why = { reason: 'late', attempts: 1 };
    expect(await buryMessage(db, { ...message, claim: 1 }, why)).toEqual({ isBuried: false });
    expect(await buryMessage(db, { ...message, emission: 1 }, why)).toEqual({ isBuried: false });
    expect(await buryMessage(db, { ...message, claim: 2, emission: 0 }, why)).toMatchObject({ isBuried: true });
  });
}

function describeReplays(suite: DatabaseSuite): void {
  describePuttingBack(suite);
  describeLeaving(suite);
}

function describePuttingBack({ useDb }: DatabaseSuite): void {
  it('queues the delivery again, as a retry does, and once [W10 DL-42]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { deliveryId } = await createDelivery(db, place);
    const death = await dieQueued(db, place, deliveryId);
    const before = await countWaiting(db, place, 'delivery.queued');
    expect((await Promise.all([replay(death), replay(death)])).toSorted()).toEqual(['already-replayed', 'replayed']);
    const { row, timeline } = await readDelivery(db, place, deliveryId);
    expect(row).toMatchObject({ status: 'queued', attempts: 2, failure: null });
    expect(timeline.at(-1)).toMatchObject({ status: 'queued', attempt: 2 });
    expect(await countWaiting(db, place, 'delivery.queued')).toBe(before + 1);
  });

  it('has a delivery handled although a late handler marked its message without an effect [W8 W10]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { deliveryId } = await createDelivery(db, place);
    const death = await dieQueued(db, place, deliveryId);
    const mark = () => db.asTenant(place.tenantId, (tx) => markHandled(tx, death.id, death.consumer));
    expect(await mark()).toBe(true);
    expect(await replay(death)).toBe('replayed');
    expect(await mark()).toBe(true);
  });

  it('prepares a delivery again that waited for its gateway [W10]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { deliveryId } = await createDelivery(db, place);
    await prepare(db, place, deliveryId);
    const consumer = 'runner-gateway';
    const death = await die(db, place, { subject: 'delivery.prepared', consumer, data: { deliveryId } });
    const before = await countWaiting(db, place, 'delivery.queued');
    expect(await replay(death)).toBe('replayed');
    expect((await readDelivery(db, place, deliveryId)).row).toMatchObject({ status: 'queued', attempts: 2 });
    expect(await countWaiting(db, place, 'delivery.queued')).toBe(before + 1);
    const events = await readEvents(db, { ...place, afterSeq: 0, limit: 100 });
    expect(events.at(-1)).toMatchObject({ kind: 'delivery.queued', data: { attempt: 2 } });
  });

  it('has the attachment inspected again, unless it was deleted [W10]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [kept, deleted] = [await createAttachment(db, place), await createAttachment(db, place)];
    const deaths: Death[] = [];
    for (const { attachmentId } of [kept, deleted])
      deaths.push(await die(db, place, { subject: 'attachment.added', data: { attachmentId } }));
    await db.asTenant(place.tenantId, (tx) =>
      tx.update(attachment).set({ deletedAt: new Date() }).where(eq(attachment.id, deleted.attachmentId)),
    );
    for (const death of deaths) expect(await replay(death)).toBe('replayed');
    expect(await readAttachment(db, place, kept.attachmentId)).toMatchObject({ status: 'pending', failure: null });
    expect(await readAttachment(db, place, deleted.attachmentId)).toMatchObject({ status: 'rejected' });
  });
}

function describeLeaving({ useDb }: DatabaseSuite): void {
  it.each<[string, (db: Database, place: Place, deliveryId: string) => Promise<unknown>]>([
    ['failed again for a reason of its own', (db, place, deliveryId) => failAgain(db, place, deliveryId)],
    [
      'failed again by the death of another message',
      (db, place, deliveryId) => failAgain(db, place, deliveryId, randomUUID()),
    ],
    [
      'was planned for a target that its agent no longer has',
      (db, { tenantId, ...agent }) =>
        db.asTenant(tenantId, (tx) => setAgentTarget(tx, { ...agent, version: 1 }, { ...target, model: 'model-2' })),
    ],
    [
      'is of a session that has ended',
      (db, { tenantId, sessionId }) => db.asTenant(tenantId, (tx) => endSession(tx, sessionId)),
    ],
  ])('leaves a delivery as it is that %s [W10 DL-51]', async (_, change) => {
    const db = useDb();
    const place = await createPlace(db);
    const { deliveryId } = await createDelivery(db, place);
    const death = await dieQueued(db, place, deliveryId);
    await change(db, place, deliveryId);
    const { row } = await readDelivery(db, place, deliveryId);
    expect(row.status).toBe('failed');
    expect(await replay(death)).toBe('replayed');
    expect((await readDelivery(db, place, deliveryId)).row).toEqual(row);
  });
}
