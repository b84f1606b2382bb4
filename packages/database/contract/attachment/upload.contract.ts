import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { findAttachment } from '../../src/attachment/attachment-reader.ts';
import { isGranted } from '../../src/attachment/grant-reader.ts';
import { abandonUpload, recordUpload, reserveUpload } from '../../src/attachment/upload-writer.ts';
import { readAbandonedBlobs, settleAbandonedBlob } from '../../src/blob/blob-sweep.ts';
import type { Database } from '../../src/database.ts';
import { claimMessages } from '../../src/outbox/outbox-queue.ts';
import { blob } from '../../src/schema.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import { claimSession } from '../../src/session/owner/session-owner-writer.ts';
import { endSession } from '../../src/session/session-writer.ts';
import {
  createAgent,
  createPlace,
  createTenant,
  newRecord,
  newReservation,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const answer = { fingerprint: 'f1', status: 201, sealedAnswer: 'sealed' };

async function setQuota(db: Database, tenantId: string, quotaBytes: number): Promise<void> {
  await db.asTenant(tenantId, async (tx) => {
    await tx.execute(sql`update tenant set quota_bytes = ${quotaBytes}::bigint`);
  });
}

/** Bytes of the tenant: promised to running uploads, and in use. */
async function readUsage(db: Database, tenantId: string): Promise<{ reserved: number; used: number }> {
  const row = await db.asTenant(tenantId, (tx) => tx.query.tenant.findFirst());
  return { reserved: row?.reservedBytes ?? -1, used: row?.usedBytes ?? -1 };
}

async function readBlobState(db: Database, tenantId: string, blobId: string): Promise<string | undefined> {
  const [row] = await db.asTenant(tenantId, (tx) =>
    tx.select({ state: blob.state }).from(blob).where(eq(blob.id, blobId)),
  );
  return row?.state;
}

/** Reserve, record, abandon: nothing is lost, counted twice or without an owner. */
export function describeUploads(suite: DatabaseSuite): void {
  describeReserving(suite);
  describeQuota(suite);
  describeRecording(suite);
  describeUploadKeys(suite);
  describeFencing(suite);
  describeAbandoning(suite);
}

function describeReserving({ useDb }: DatabaseSuite): void {
  it('puts a reserved blob row with its key before any byte [W3 AT-02]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const reservation = newReservation(place);
    expect(await reserveUpload(db, reservation)).toEqual({ outcome: 'reserved', urlGeneration: 1 });
    const row = await db.asTenant(place.tenantId, (tx) => tx.query.blob.findFirst());
    expect(row).toMatchObject({ id: reservation.blobId, key: reservation.key, state: 'reserved', sha256: null });
  });

  it('does not find a session that is unknown, or another tenant’s [S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const tenantId = await createTenant(db);
    expect(await reserveUpload(db, newReservation({ ...place, sessionId: randomUUID() }))).toEqual({
      outcome: 'session-not-found',
    });
    expect(await reserveUpload(db, newReservation({ ...place, tenantId }))).toEqual({ outcome: 'session-not-found' });
    expect(await readUsage(db, tenantId)).toEqual({ reserved: 0, used: 0 });
  });

  it('refuses an ended session, before and after the bytes', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const reservation = newReservation(place);
    await reserveUpload(db, reservation);
    await db.asTenant(place.tenantId, (tx) => endSession(tx, place.sessionId));
    expect(await reserveUpload(db, newReservation(place))).toEqual({ outcome: 'session-ended' });
    expect(await recordUpload(db, newRecord(reservation))).toEqual({ outcome: 'session-ended' });
    expect(await abandonUpload(db, reservation)).toBe(true);
  });
}

function describeQuota({ useDb }: DatabaseSuite): void {
  it('admits exactly what the quota holds when 1,000 ask at once for the last place [S32]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await setQuota(db, place.tenantId, 1000 - 1 + 100);
    for (let taken = 0; taken < 9; taken += 1) await reserveUpload(db, newReservation(place, { reserveBytes: 100 }));
    const asked = Array.from({ length: 1000 }, () => reserveUpload(db, newReservation(place, { reserveBytes: 100 })));
    const outcomes = (await Promise.all(asked)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'quota-exceeded')).toHaveLength(999);
    expect(await readUsage(db, place.tenantId)).toEqual({ reserved: 1000, used: 0 });
  });

  it('counts the real size once recorded, and gives back the rest [S32]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await setQuota(db, place.tenantId, 100);
    const reservation = newReservation(place, { reserveBytes: 100 });
    await reserveUpload(db, reservation);
    expect(await reserveUpload(db, newReservation(place, { reserveBytes: 1 }))).toEqual({ outcome: 'quota-exceeded' });
    await recordUpload(db, newRecord(reservation, { sizeBytes: 60 }));
    expect(await readUsage(db, place.tenantId)).toEqual({ reserved: 0, used: 60 });
    expect(await reserveUpload(db, newReservation(place, { reserveBytes: 41 }))).toEqual({ outcome: 'quota-exceeded' });
    expect(await reserveUpload(db, newReservation(place, { reserveBytes: 40 }))).toEqual({
      outcome: 'reserved',
      urlGeneration: 1,
    });
  });
}

function describeRecording({ useDb }: DatabaseSuite): void {
  it('makes blob, attachment, name, event and bus message true together [AT-02 AT-06 SR-03]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId } = place;
    const reservation = newReservation(place);
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const record = newRecord(reservation, { source: 'composer', declaredMimeType: 'image/gif', trace });
    await reserveUpload(db, reservation);
    expect(await recordUpload(db, record)).toMatchObject({ outcome: 'recorded' });
    expect(await readBlobState(db, tenantId, reservation.blobId)).toBe('live');
    const stored = await db.asTenant(tenantId, (tx) => findAttachment(tx, record.attachmentId));
    expect(stored).toMatchObject({ id: record.attachmentId, blobKey: reservation.key, urlGeneration: 1, trace });
    const { mimeType, kind, sizeBytes, sha256, createdAt, name } = record;
    expect(stored?.attachment).toEqual({
      ...{ id: idFromUuid('attachment', record.attachmentId), sessionId: idFromUuid('session', sessionId), name },
      ...{
        mimeType,
        declaredMimeType: 'image/gif',
        kind,
        size: 42,
        sizeBytes,
        sha256,
        origin: 'upload',
        source: 'composer',
      },
      ...{ status: 'pending', facts: {}, variants: [], warnings: [], createdAt, schemaVersion: 1 },
    });
    const events = await readEvents(db, { tenantId, sessionId, afterSeq: 0, limit: 10 });
    expect(events).toMatchObject([
      { seq: 1, kind: 'attachment.added', data: { attachmentId: stored?.attachment.id, sha256 } },
    ]);
    const claimed = await claimMessages(db, { subjects: ['attachment.added'], limit: 1000, leaseMs: 1000 });
    expect(claimed.filter((message) => message.tenantId === tenantId)).toMatchObject([
      {
        subject: 'attachment.added',
        data: { tenantId, sessionId, attachmentId: record.attachmentId },
        trace,
        attempt: 1,
      },
    ]);
  });

  it('makes a file ready with its row where all was found as it came in, and tells no projector [AT-02 AT-06 SR-14]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId } = place;
    const reservation = newReservation(place);
    const facts = { encoding: 'utf-8', hasByteOrderMark: false };
    const warnings = [{ code: 'type_differs_from_declared', severity: 'warning', message: 'm' }] as const;
    const shown = { kind: 'text', mimeType: 'text/plain' } as const;
    const given = newRecord(reservation, shown);
    const attachmentId = idFromUuid('attachment', given.attachmentId);
    const ready = {
      kind: 'attachment.ready',
      actor: { type: 'service', id: 'ingest' },
      data: { attachmentId, ...shown, facts },
    } as const;
    await reserveUpload(db, reservation);
    const found = { facts, warnings: [...warnings] };
    await recordUpload(db, { ...given, found, events: [...given.events, ready] });
    const stored = await db.asTenant(tenantId, (tx) => findAttachment(tx, given.attachmentId));
    expect(stored?.attachment).toMatchObject({ ...shown, status: 'ready', facts, warnings });
    const row = await db.asTenant(tenantId, (tx) => tx.query.attachment.findFirst());
    expect(row?.inspectedAt).toBeInstanceOf(Date);
    const events = await readEvents(db, { tenantId, sessionId, afterSeq: 0, limit: 10 });
    expect(events.map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, 'attachment.added'],
      [2, 'attachment.ready'],
    ]);
    const claimed = await claimMessages(db, { subjects: ['attachment.added'], limit: 1000, leaseMs: 1000 });
    expect(claimed.filter((message) => message.tenantId === tenantId)).toEqual([]);
  });

  it('records a reservation once; the second finds it lost [W4 W2]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const reservation = newReservation(place);
    await reserveUpload(db, reservation);
    const both = await Promise.all([
      recordUpload(db, newRecord(reservation)),
      recordUpload(db, newRecord(reservation)),
    ]);
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['recorded', 'reservation-lost']);
    expect(await readUsage(db, place.tenantId)).toEqual({ reserved: 0, used: 42 });
  });

  it('records nothing where its last step fails [W4]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const reservation = newReservation(place);
    await reserveUpload(db, reservation);
    const [event] = newRecord(reservation).events;
    const broken = newRecord(reservation, { events: [{ ...event, kind: null } as never] });
    await expect(recordUpload(db, broken)).rejects.toThrow();
    expect(await readBlobState(db, place.tenantId, reservation.blobId)).toBe('reserved');
    expect(await db.asTenant(place.tenantId, (tx) => findAttachment(tx, broken.attachmentId))).toBeUndefined();
    expect(await recordUpload(db, newRecord(reservation))).toMatchObject({ outcome: 'recorded' });
  });

  it('grants a file to the agent that made it, and to no other [SR-28]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, agentId } = place;
    const other = await createAgent(db, place);
    const reservation = newReservation(place);
    const record = newRecord(reservation, { origin: 'tool-output', grantAgentId: agentId, grantId: randomUUID() });
    await reserveUpload(db, reservation);
    await recordUpload(db, record);
    const granted = await db.asTenant(tenantId, async (tx) => [
      await isGranted(tx, agentId, record.attachmentId),
      await isGranted(tx, other, record.attachmentId),
    ]);
    expect(granted).toEqual([true, false]);
  });
}

function describeUploadKeys({ useDb }: DatabaseSuite): void {
  const prepare = async () => {
    const db = useDb();
    const place = await createPlace(db);
    const idempotency = { route: 'uploadRaw', sessionId: place.sessionId, key: randomUUID() };
    return { db, place, idempotency, reserve: () => reserveUpload(db, newReservation(place, { idempotency })) };
  };

  it('answers a repeated upload with what the first answered, and stores nothing [W2 DL-44]', async () => {
    const { db, place, idempotency, reserve } = await prepare();
    const reservation = newReservation(place, { idempotency });
    await reserveUpload(db, reservation);
    expect(await reserve()).toMatchObject({ outcome: 'in-progress' });
    await recordUpload(db, newRecord(reservation, { idempotency: { ...idempotency, ...answer } }));
    expect(await reserve()).toEqual({ outcome: 'replay', state: 'done', ...answer });
    expect(await readUsage(db, place.tenantId)).toEqual({ reserved: 0, used: 42 });
  });

  it('gives the key free when the quota refuses, or the upload is abandoned [W2]', async () => {
    const { db, place, idempotency, reserve } = await prepare();
    await setQuota(db, place.tenantId, 50);
    expect(await reserve()).toEqual({ outcome: 'quota-exceeded' });
    await setQuota(db, place.tenantId, 500);
    const reservation = newReservation(place, { idempotency });
    expect(await reserveUpload(db, reservation)).toEqual({ outcome: 'reserved', urlGeneration: 1 });
    expect(await abandonUpload(db, reservation)).toBe(true);
    expect(await reserve()).toEqual({ outcome: 'reserved', urlGeneration: 1 });
  });

  it('is reserved by exactly one of many with the same key [W2 DL-44]', async () => {
    const { db, place, reserve } = await prepare();
    const outcomes = (await Promise.all(Array.from({ length: 8 }, reserve))).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual([...Array(7).fill('in-progress'), 'reserved']);
    expect(await readUsage(db, place.tenantId)).toEqual({ reserved: 100, used: 0 });
  });
}

function describeFencing({ useDb }: DatabaseSuite): void {
  it('counts a gateway’s file only while it owns the session [BX-16]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const replicaId = randomUUID();
    const owner = { ...place, replicaId, incarnation: randomUUID() };
    const fence = { incarnation: owner.incarnation, epoch: (await claimSession(db, owner))?.epoch ?? 0 };
    const [first, second] = [newReservation(place), newReservation(place)];
    await reserveUpload(db, first);
    await reserveUpload(db, second);
    expect(await recordUpload(db, newRecord(first, { fence }))).toMatchObject({ outcome: 'recorded' });
    await claimSession(db, { ...owner, incarnation: randomUUID() });
    expect(await recordUpload(db, newRecord(second, { fence }))).toEqual({ outcome: 'ownership-lost' });
    expect(await readBlobState(db, place.tenantId, second.blobId)).toBe('reserved');
  });
}

function describeAbandoning({ useDb }: DatabaseSuite): void {
  it('gives the reservation back once, and never takes bytes that were recorded [W3 W4]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [lost, kept] = [newReservation(place), newReservation(place)];
    await reserveUpload(db, lost);
    await reserveUpload(db, kept);
    expect(await abandonUpload(db, lost)).toBe(true);
    expect(await abandonUpload(db, lost)).toBe(true);
    expect(await readUsage(db, place.tenantId)).toEqual({ reserved: 100, used: 0 });
    await recordUpload(db, newRecord(kept));
    expect(await abandonUpload(db, kept)).toBe(false);
    expect(await readBlobState(db, place.tenantId, kept.blobId)).toBe('live');
    expect(await recordUpload(db, newRecord(lost))).toEqual({ outcome: 'reservation-lost' });
  });

  it('leaves every blob that never went live to the sweep, which gives its quota back once [W3]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [crashed, abandoned, live, running] = await reserveFour(db, place);
    await abandonUpload(db, abandoned);
    await recordUpload(db, newRecord(live));
    const findSwept = async (before: number) =>
      readAbandonedBlobs(db, place.tenantId, { madeBefore: new Date(before), limit: 10 });
    expect(await findSwept(Date.now() - 60_000)).toEqual([]);
    const swept = await findSwept(Date.now() + 60_000);
    expect(swept.map(({ key }) => key).toSorted()).toEqual([crashed.key, abandoned.key, running.key].toSorted());
    const dead = swept.filter(({ key }) => key !== running.key);
    for (const found of [...dead, ...dead]) await settleAbandonedBlob(db, found);
    expect(await readUsage(db, place.tenantId)).toEqual({ reserved: running.reserveBytes, used: 42 });
    expect((await findSwept(Date.now() + 60_000)).map(({ key }) => key)).toEqual([running.key]);
    expect(await readBlobState(db, place.tenantId, live.blobId)).toBe('live');
  });
}

async function reserveFour(db: Database, place: Place) {
  const four = [newReservation(place), newReservation(place), newReservation(place), newReservation(place)] as const;
  for (const reservation of four) await reserveUpload(db, reservation);
  return four;
}
