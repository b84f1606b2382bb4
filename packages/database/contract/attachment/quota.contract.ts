import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { deleteAttachment, discardAttachments } from '../../src/attachment/attachment-writer.ts';
import {
  abandonUpload,
  recordUpload,
  reserveUpload,
  type UploadReservation,
} from '../../src/attachment/upload-writer.ts';
import {
  collectBlobRows,
  findCollectableBlobs,
  listDoomedBlobs,
  markBlobsRemoved,
} from '../../src/blob/blob-collection.ts';
import {
  endDeadReservations,
  listTenantsWithEndedReservations,
  listUnmeasuredBlobs,
  recordLeftBytes,
  settleAbandonedBlob,
} from '../../src/blob/blob-sweep.ts';
import type { Database } from '../../src/database.ts';
import {
  createPlace,
  createVariant,
  newRecord,
  newReservation,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import { readUsage, startHolder, sumUsage, type Usage } from '../__fixtures__/usage.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const QUOTA = 1_000;
const HOUR_MS = 3_600_000;

async function createPlaceWithQuota(db: Database): Promise<Place> {
  const place = await createPlace(db);
  await db.asTenant(place.tenantId, async (tx) => {
    await tx.execute(sql`update tenant set quota_bytes = ${QUOTA}::bigint`);
  });
  return place;
}

const digestOf = (seed: number) => createHash('sha256').update(String(seed)).digest('hex');

/** The limit of the quota, and everything that occupies room in it. */
export function describeQuota(suite: DatabaseSuite): void {
  describe('bytes that wait for their removal', () => describeLeftBytes(suite));
  describe('reservations of dead holders', () => describeDeadHolders(suite));
  describe('whatever happens', () => describeInvariant(suite));
}

function describeLeftBytes({ useDb }: DatabaseSuite): void {
  const upload = async (place: Place, sizeBytes: number, sha256: string) => {
    const reservation = newReservation(place, { reserveBytes: sizeBytes });
    const { outcome } = await reserveUpload(useDb(), reservation);
    if (outcome !== 'reserved') return { outcome };
    const record = newRecord(reservation, { sizeBytes, sha256 });
    await recordUpload(useDb(), record);
    return { outcome, attachmentId: record.attachmentId, blobId: reservation.blobId };
  };

  it('hold up to a second quota, and uploads wait for them then [S32 BX-07]', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const outcomes: string[] = [];
    for (let round = 0; round < 7; round += 1) outcomes.push((await upload(place, 400, digestOf(1))).outcome);
    // One is used; of the copies that were not removed yet there is room for four.
    expect(outcomes).toEqual([...Array(5).fill('reserved'), ...Array(2).fill('quota-held')]);
    expect(await readUsage(db, place)).toEqual({ used: 400, reserved: 0, condemned: 1_600 });
    const [gone] = await listDoomedBlobs(db, { tenantId: place.tenantId, storeId: 'files', limit: 1 });
    await markBlobsRemoved(db, place.tenantId, [gone?.id ?? '']);
    expect((await readUsage(db, place)).condemned).toBe(1_200);
    expect((await upload(place, 400, digestOf(1))).outcome).toBe('reserved');
    expect((await upload(place, 700, digestOf(2))).outcome).toBe('quota-exceeded');
  });

  it('are those of a deletion, whose quota is free at once [S32]', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const first = await upload(place, 900, digestOf(1));
    await db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, first.attachmentId ?? ''));
    expect(await readUsage(db, place)).toEqual({ used: 0, reserved: 0, condemned: 900 });
    expect((await upload(place, 900, digestOf(2))).outcome).toBe('reserved');
  });

  it('are those of what was discarded, where nothing else ever used them; they go at once', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const discard = async (...gone: { attachmentId?: string }[]) => {
      const ids = gone.map(({ attachmentId = '' }) => attachmentId);
      return (await db.asTenant(place.tenantId, (tx) => discardAttachments(tx, ids))).blobs.map(({ id }) => id);
    };
    const both = [await upload(place, 100, digestOf(1)), await upload(place, 100, digestOf(1))];
    expect(await discard(...both)).toEqual([both[0]?.blobId]);
    const first = await upload(place, 200, digestOf(2));
    const second = await upload(place, 200, digestOf(2));
    expect(await discard(second)).toEqual([]);
    expect(await readUsage(db, place)).toEqual({ used: 200, reserved: 0, condemned: 400 });
    expect(await discard(first)).toEqual([]);
    expect(await readUsage(db, place)).toEqual({ used: 0, reserved: 0, condemned: 600 });
  });

  it('variants count, and are never refused', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    await upload(place, 1_000, digestOf(1));
    expect((await createVariant(db, place.tenantId, randomUUID())).isNew).toBe(true);
    expect((await readUsage(db, place)).used).toBe(1_007);
    expect((await upload(place, 1, digestOf(2))).outcome).toBe('quota-exceeded');
  });
}

function describeDeadHolders({ useDb }: DatabaseSuite): void {
  const prepare = async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const { holder, end } = await startHolder(db);
    const reserve = (given: Partial<UploadReservation>) => reserveUpload(db, newReservation(place, given));
    return { db, place, holder, end, reserve };
  };

  it('end with the lease: the quota is free again, and not before [S32 W3]', async () => {
    const { db, place, holder, end, reserve } = await prepare();
    const held = newReservation(place, { reserveBytes: 900, holder });
    await reserveUpload(db, held);
    expect((await reserve({ reserveBytes: 200 })).outcome).toBe('quota-exceeded');
    await end();
    expect((await reserve({ reserveBytes: 200 })).outcome).toBe('reserved');
    expect(await readUsage(db, place)).toEqual({ used: 0, reserved: 200, condemned: 900 });
    // An upload that comes back all the same removes its bytes, and records nothing.
    expect(await recordUpload(db, newRecord(held))).toEqual({ outcome: 'reservation-lost' });
    expect(await abandonUpload(db, held)).toBe(true);
  });

  it('count as what the store holds of them once it was asked', async () => {
    const { db, place, holder, end, reserve } = await prepare();
    await reserve({ reserveBytes: 900, holder });
    const isListed = async () => (await listTenantsWithEndedReservations(db)).includes(place.tenantId);
    expect(await isListed()).toBe(false);
    await end();
    expect(await isListed()).toBe(true);
    expect(await endDeadReservations(db, place.tenantId)).toBe(1);
    const ask = { tenantId: place.tenantId, storeId: 'files', limit: 10 };
    expect(await listUnmeasuredBlobs(db, { ...ask, agoMs: HOUR_MS })).toEqual([]);
    const [left] = await listUnmeasuredBlobs(db, { ...ask, agoMs: 0 });
    if (left) await recordLeftBytes(db, { ...left, sizeBytes: 30 });
    expect(await readUsage(db, place)).toEqual({ used: 0, reserved: 0, condemned: 30 });
    expect(await isListed()).toBe(false);
  });
}

function describeInvariant({ useDb }: DatabaseSuite): void {
  it('used, reserved and condemned are what the blobs say, and never more than twice the quota [S32 W12]', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const traffic = createTraffic(db, place);
    const seen: Usage[] = [];
    for (let round = 0; round < 25; round += 1) {
      await Promise.all(Array.from({ length: 8 }, (_, index) => traffic.step(round * 8 + index)));
      const usage = await readUsage(db, place);
      expect(usage).toEqual(await sumUsage(db, place));
      expect(usage.used + usage.reserved + usage.condemned).toBeLessThanOrEqual(2 * QUOTA);
      expect(usage.used + usage.reserved).toBeLessThanOrEqual(QUOTA);
      seen.push(usage);
    }
    // It came near to the bound, or it says nothing.
    expect(Math.max(...seen.map(({ used, reserved, condemned }) => used + reserved + condemned))).toBeGreaterThan(
      1.7 * QUOTA,
    );
    expect(traffic.outcomes()).toEqual(expect.arrayContaining(['reserved', 'quota-held']));
  });
}

type Doing = (draw: number) => Promise<unknown>;

/** All that changes what is counted, in an order that the steps' numbers decide. */
function createTraffic(db: Database, place: Place) {
  const { tenantId } = place;
  const open: UploadReservation[] = [];
  const attachments: string[] = [];
  const outcomes = new Set<string>();
  const reserve: Doing = async (draw) => {
    const reservation = newReservation(place, { reserveBytes: 50 + (draw % 7) * 40 });
    const { outcome } = await reserveUpload(db, reservation);
    outcomes.add(outcome);
    if (outcome === 'reserved') open.push(reservation);
  };
  const record: Doing = async (draw) => {
    const reservation = open.shift();
    if (!reservation) return;
    const sizeBytes = Math.min(reservation.reserveBytes, 50 + (draw % 3) * 40);
    const given = newRecord(reservation, { sizeBytes, sha256: digestOf(sizeBytes + (draw % 2)) });
    const { outcome } = await recordUpload(db, given);
    if (outcome === 'recorded') attachments.push(given.attachmentId);
  };
  const abandon: Doing = async (draw) => {
    const reservation = open.pop();
    if (!reservation || !(await abandonUpload(db, reservation)) || draw % 2 === 0) return;
    await settleAbandonedBlob(db, { tenantId, id: reservation.blobId });
  };
  const remove: Doing = async (draw) => {
    const id = attachments.shift();
    if (id === undefined) return;
    await db.asTenant<unknown>(tenantId, (tx) =>
      draw % 2 === 0 ? deleteAttachment(tx, id) : discardAttachments(tx, [id]),
    );
  };
  const collect: Doing = async (draw) => {
    // First nothing is removed, so that what is left comes to its bound.
    if (draw < 120) return;
    const now = new Date(Date.now() + HOUR_MS).toISOString();
    const past = new Date(0).toISOString();
    const times = { now, reservedBefore: past, condemnedBefore: now, confirmedBefore: now, retryableSince: past };
    const { due } = await findCollectableBlobs(db, { tenantId, ...times, limit: 3 });
    await collectBlobRows(db, { tenantId, ...times, blobIds: due, isDryRun: false });
    const doomed = await listDoomedBlobs(db, { tenantId, storeId: 'files', limit: 2 });
    await markBlobsRemoved(
      db,
      tenantId,
      doomed.map(({ id }) => id),
    );
  };
  const doings = [reserve, record, reserve, record, remove, reserve, record, abandon, reserve, record, remove, collect];
  return {
    step: (at: number) => (doings[at % doings.length] as Doing)(at),
    outcomes: () => [...outcomes],
  };
}
