import { createHash, randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { abandonUpload, recordUpload, reserveUpload } from '../../src/attachment/upload-writer.ts';
import {
  collectBlobRows,
  findCollectableBlobs,
  listDoomedBlobs,
  RESERVED_FOR_MS,
} from '../../src/blob/blob-collection.ts';
import {
  endDeadReservations,
  listTenantsWithEndedReservations,
  settleAbandonedBlob,
} from '../../src/blob/blob-sweep.ts';
import { fillKeyPool, type PoolFill, releaseKeys } from '../../src/blob/key-pool-writer.ts';
import type { Database } from '../../src/database.ts';
import { blob } from '../../src/schema.ts';
import { createPlace, newRecord, newReservation, type Place } from '../__fixtures__/database-fixtures.ts';
import { readUsage, startHolder, sumUsage, type Usage } from '../__fixtures__/usage.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const QUOTA = 64_000;

async function createPlaceWithQuota(db: Database, quotaBytes = QUOTA): Promise<Place> {
  const place = await createPlace(db);
  await db.asTenant(place.tenantId, async (tx) => {
    await tx.execute(sql`update tenant set quota_bytes = ${quotaBytes}::bigint`);
  });
  return place;
}

type Keys = PoolFill['keys'];

function makeKeys(count: number): Keys {
  return Array.from({ length: count }, () => {
    const id = randomUUID();
    return { id, key: `key-${id}` };
  });
}

const fill = (db: Database, { tenantId }: Place, keys: Keys, given: Partial<PoolFill> = {}) =>
  fillKeyPool(db, { tenantId, keys, storeId: 'files', shareBytes: 100, leastShareBytes: 10, ...given });

const digestOf = (seed: number) => createHash('sha256').update(String(seed)).digest('hex');

/** The record of an upload under a pooled key. */
const recordOf = (place: Place, { id: blobId = '' }: { id?: string | undefined } = {}, sizeBytes = 42) =>
  newRecord(newReservation(place, { blobId }), { sizeBytes, sha256: digestOf(sizeBytes) });

async function readStates(db: Database, { tenantId }: Place, keys: Keys): Promise<(string | undefined)[]> {
  return Promise.all(
    keys.map(async ({ id }) => {
      const [row] = await db.asTenant(tenantId, (tx) => tx.select().from(blob).where(eq(blob.id, id)));
      return row?.state;
    }),
  );
}

/** Keys that are reserved before there is an upload for them. */
export function describeKeyPools(suite: DatabaseSuite): void {
  describeShares(suite);
  describeUse(suite);
  describeGivingWay(suite);
  describeEnds(suite);
  describeRoom(suite);
}

function describeShares({ useDb }: DatabaseSuite): void {
  it('each hold the same share, which counts as reserved, and all that is asked for without a quota [S32]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const keys = makeKeys(4);
    expect(await fill(db, place, keys, { shareBytes: 1_000_000 })).toBe(1_000_000);
    expect(await readUsage(db, place)).toEqual({ used: 0, reserved: 4_000_000, condemned: 0 });
    expect(await readStates(db, place, keys)).toEqual(Array(4).fill('reserved'));
  });

  it('hold a 64th of what is free at most, those of all processes together [S32]', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const holders = Array.from({ length: 12 }, randomUUID);
    const shares = await Promise.all(holders.map((holder) => fill(db, place, makeKeys(4), { holder })));
    // A thousand bytes are a 64th: the first two processes find 100 for each key, the third 50.
    expect(shares.filter((share) => share !== null).toSorted()).toEqual([100, 100, 50]);
    expect((await readUsage(db, place)).reserved).toBe(1_000);
  });

  it('are not reserved near the quota, nor where deleted bytes take twice of it [S32]', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const large = newReservation(place, { reserveBytes: QUOTA - 64 * 39 });
    await reserveUpload(db, large);
    expect(await fill(db, place, makeKeys(4))).toBeNull();
    await abandonUpload(db, large);
    expect(await fill(db, place, makeKeys(4))).toBe(100);
    await reserveUpload(db, newReservation(place, { reserveBytes: QUOTA - 1_000 }));
    expect(await fill(db, place, makeKeys(4))).toBeNull();
  });
}

function describeUse({ useDb }: DatabaseSuite): void {
  it('become live by the record alone, for what it says and once [W4 S32]', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const [taken, ...left] = makeKeys(4);
    await fill(
      db,
      place,
      [taken, ...left].flatMap((key) => key ?? []),
    );
    const both = [recordOf(place, taken), recordOf(place, taken)];
    const outcomes = await Promise.all(both.map((record) => recordUpload(db, record)));
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['recorded', 'reservation-lost']);
    expect(outcomes).toContainEqual({ outcome: 'recorded', blobId: taken?.id, hadEnded: false });
    expect(await readUsage(db, place)).toEqual({ used: 42, reserved: 300, condemned: 0 });
  });

  it('are given back once; what is unknown or recorded is passed over [W4]', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const keys = makeKeys(4);
    await fill(db, place, keys);
    await recordUpload(db, recordOf(place, keys[0]));
    const ids = [...keys.map(({ id }) => id), randomUUID()];
    expect(await releaseKeys(db, place.tenantId, ids)).toBe(3);
    expect(await releaseKeys(db, place.tenantId, ids)).toBe(0);
    expect(await readStates(db, place, keys)).toEqual(['live', 'deleted', 'deleted', 'deleted']);
    expect(await readUsage(db, place)).toEqual({ used: 42, reserved: 0, condemned: 0 });
    expect(await recordUpload(db, recordOf(place, keys[1]))).toEqual({ outcome: 'reservation-lost' });
  });

  it('are not given back where an upload reserved for itself, and never another tenant’s [S29]', async () => {
    const db = useDb();
    const [place, other] = [await createPlaceWithQuota(db), await createPlaceWithQuota(db)];
    const [reservation, keys] = [newReservation(place), makeKeys(1)];
    await reserveUpload(db, reservation);
    await fill(db, other, keys);
    expect(await releaseKeys(db, place.tenantId, [reservation.blobId, ...keys.map(({ id }) => id)])).toBe(0);
    expect(await recordUpload(db, newRecord(reservation))).toMatchObject({ outcome: 'recorded' });
    expect(await recordUpload(db, recordOf(other, keys[0]))).toMatchObject({ outcome: 'recorded' });
  });
}

function describeGivingWay({ useDb }: DatabaseSuite): void {
  const prepare = async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const keys = makeKeys(10);
    await fill(db, place, keys);
    const reserve = (reserveBytes: number, given = {}) =>
      reserveUpload(db, newReservation(place, { reserveBytes, ...given }));
    return { db, place, keys, reserve };
  };

  it('refuse no upload: who finds no room takes theirs, unless it has some to give back itself [S32]', async () => {
    const { db, place, keys, reserve } = await prepare();
    expect(await reserve(QUOTA, { keepsPools: true })).toEqual({ outcome: 'quota-exceeded' });
    expect(await readStates(db, place, keys)).toEqual(Array(10).fill('reserved'));
    expect(await reserve(QUOTA)).toMatchObject({ outcome: 'reserved' });
    expect(await readUsage(db, place)).toEqual({ used: 0, reserved: QUOTA, condemned: 1_000 });
    await releaseKeys(
      db,
      place.tenantId,
      keys.map(({ id }) => id),
    );
    expect(await readUsage(db, place)).toEqual({ used: 0, reserved: QUOTA, condemned: 0 });
  });

  it('that ended are reserved again by the record of an upload that had one, where there is room [W3 S32]', async () => {
    const { db, place, keys, reserve } = await prepare();
    await reserve(QUOTA - 500);
    const first = await recordUpload(db, recordOf(place, keys[0], 90));
    expect(first).toEqual({ outcome: 'recorded', blobId: keys[0]?.id, hadEnded: true });
    expect(await readUsage(db, place)).toEqual({ used: 90, reserved: QUOTA - 500, condemned: 900 });
    expect(await readUsage(db, place)).toEqual(await sumUsage(db, place));
    await reserve(400);
    expect(await recordUpload(db, recordOf(place, keys[1], 11))).toEqual({ outcome: 'quota-exceeded' });
    expect(await abandonUpload(db, { tenantId: place.tenantId, blobId: keys[1]?.id ?? '' })).toBe(true);
    await settleAbandonedBlob(db, { tenantId: place.tenantId, id: keys[1]?.id ?? '' });
    expect((await readUsage(db, place)).condemned).toBe(800);
  });

  it('are lost to a record that comes after their upload was given up, whose bytes are gone by then [W4 AT-02]', async () => {
    const { db, place, keys, reserve } = await prepare();
    const { tenantId } = place;
    const giveUp = (at: number) => abandonUpload(db, { tenantId, blobId: keys[at]?.id ?? '' });
    expect(await giveUp(0)).toBe(true);
    expect(await recordUpload(db, recordOf(place, keys[0]))).toEqual({ outcome: 'reservation-lost' });
    await reserve(QUOTA - 500);
    expect(await giveUp(1)).toBe(true);
    expect(await recordUpload(db, recordOf(place, keys[1]))).toEqual({ outcome: 'reservation-lost' });
    expect(await recordUpload(db, recordOf(place, keys[2]))).toMatchObject({ outcome: 'recorded' });
    expect(await readUsage(db, place)).toEqual(await sumUsage(db, place));
  });

  it('are lost only once the collection has doomed them [W12]', async () => {
    const { db, place, keys } = await prepare();
    const collect = async (aheadMs: number) => {
      const now = new Date(Date.now() + aheadMs).toISOString();
      const before = new Date(Date.now() + aheadMs - RESERVED_FOR_MS).toISOString();
      const times = {
        now,
        reservedBefore: before,
        condemnedBefore: before,
        confirmedBefore: before,
        retryableSince: now,
      };
      const step = { tenantId: place.tenantId, ...times };
      const { due } = await findCollectableBlobs(db, { ...step, limit: 100 });
      await collectBlobRows(db, { ...step, blobIds: due, isDryRun: false });
    };
    await collect(RESERVED_FOR_MS / 2);
    expect(await readStates(db, place, keys)).toEqual(Array(10).fill('reserved'));
    await collect(2 * RESERVED_FOR_MS);
    expect(await recordUpload(db, recordOf(place, keys[0]))).toMatchObject({ outcome: 'recorded', hadEnded: true });
    await collect(4 * RESERVED_FOR_MS);
    expect(await recordUpload(db, recordOf(place, keys[1], 43))).toMatchObject({ outcome: 'recorded', hadEnded: true });
    await collect(5 * RESERVED_FOR_MS);
    await collect(7 * RESERVED_FOR_MS);
    expect(await recordUpload(db, recordOf(place, keys[2], 44))).toEqual({ outcome: 'reservation-lost' });
    const doomed = await listDoomedBlobs(db, { tenantId: place.tenantId, storeId: 'files', limit: 100 });
    expect(doomed.map(({ id }) => id).toSorted()).toEqual(
      keys
        .slice(2)
        .map(({ id }) => id)
        .toSorted(),
    );
  });
}

function describeEnds({ useDb }: DatabaseSuite): void {
  it('end with the lease of their process, and are looked for [S32]', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db);
    const { holder, end } = await startHolder(db);
    await fill(db, place, makeKeys(4), { holder });
    expect(await endDeadReservations(db, place.tenantId)).toBe(0);
    await end();
    expect(await listTenantsWithEndedReservations(db)).toContain(place.tenantId);
    expect(await endDeadReservations(db, place.tenantId)).toBe(4);
    expect(await readUsage(db, place)).toEqual({ used: 0, reserved: 0, condemned: 400 });
  });
}

function describeRoom({ useDb }: DatabaseSuite): void {
  it('never let 200 uploads at once near the quota hold more than it, nor twice of it with what is left [S32]', async () => {
    const db = useDb();
    const place = await createPlaceWithQuota(db, 6_400);
    const seen: Usage[] = [];
    const outcomes = new Set<string>();
    const pooled: { id: string }[] = [];
    const upload = async (draw: number) => {
      if (draw % 10 === 0) {
        const keys = makeKeys(4);
        if ((await fill(db, place, keys, { holder: randomUUID() })) !== null) pooled.push(...keys);
      }
      const sizeBytes = 10 + (draw % 5);
      const taken = draw % 2 === 0 ? pooled.shift() : undefined;
      const reservation = newReservation(place, { reserveBytes: 100, ...(taken && { blobId: taken.id }) });
      const reserved = taken ? 'taken' : (await reserveUpload(db, reservation)).outcome;
      outcomes.add(reserved);
      seen.push(await readUsage(db, place));
      if (reserved !== 'taken' && reserved !== 'reserved') return;
      const record = newRecord(reservation, { sizeBytes: taken ? sizeBytes : 100, sha256: digestOf(draw) });
      const recorded = await recordUpload(db, record);
      outcomes.add(recorded.outcome);
      if (recorded.outcome !== 'recorded') await abandonUpload(db, reservation);
      seen.push(await readUsage(db, place));
    };
    await Promise.all(Array.from({ length: 200 }, (_, draw) => upload(draw)));
    expect(await readUsage(db, place)).toEqual(await sumUsage(db, place));
    expect(Math.max(...seen.map(({ used, reserved }) => used + reserved))).toBeLessThanOrEqual(6_400);
    expect(Math.max(...seen.map(({ used, reserved, condemned }) => used + reserved + condemned))).toBeLessThanOrEqual(
      12_800,
    );
    // It came to the bound, by both ways.
    expect([...outcomes]).toEqual(expect.arrayContaining(['taken', 'reserved', 'recorded', 'quota-exceeded']));
  });
}
