import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createBlobKey } from '@attache/blob-store';
import { type Failure, Fault, isFault } from '@attache/contracts';
import {
  abandonUpload,
  collectBlobRows,
  findCollectableBlobs,
  findDelivery,
  reserveUpload,
  reserveVariant,
} from '@attache/database';
import { createDelivery, createPlace, newReservation, takeFact } from '@attache/database/contract';
import { describe, expect, it } from 'vitest';
import { collectBlobs } from './collect-blobs.ts';
import {
  addVariant,
  expectTrueUsage,
  HOUR_MS,
  isStored,
  remove,
  type UpkeepSuite,
  type Uploaded,
  upload,
} from './upkeep-suite.contract.ts';

const USES = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 60 : 200;

const after = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

/** The blobs that the collection takes, when it takes them, and those that it never takes. */
export function describeCollection(suite: UpkeepSuite): void {
  describe('bytes that nothing uses', () => describeAges(suite));
  describe('bytes that something uses', () => describeReferences(suite));
  describe('a pass', () => describePasses(suite));
}

function describeAges({ use }: UpkeepSuite): void {
  it('go a day after they were condemned, by the second of two passes four hours apart, and not before [W12 AT-59 DL-89]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const stored = await upload(deps, place, randomBytes(50));
    await remove(deps.db, place, stored.attachmentId);
    const seen: boolean[] = [];
    for (const hours of [0, 23, 25, 28]) {
      await collectBlobs(deps, { now: after(hours) });
      seen.push(await isStored(deps.blobs, stored.key));
    }
    expect(seen).toEqual([true, true, true, true]);
    const { deleted, bytes } = await collectBlobs(deps, { now: after(29.5) });
    expect({ isOne: deleted >= 1, isSize: bytes >= 50, isStored: await isStored(deps.blobs, stored.key) }).toEqual({
      ...{ isOne: true, isSize: true, isStored: false },
    });
    await expectTrueUsage(deps.db, place);
  });

  it('are those of reservations that were left behind, too; running uploads keep theirs [W3]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const key = createBlobKey(place.tenantId, randomBytes(16));
    const left = newReservation(place, { key, storeId: deps.blobs.id });
    await reserveUpload(deps.db, left);
    await collectBlobs(deps, { now: after(23) });
    const stillThere = await deps.db.asTenant(place.tenantId, (tx) => tx.query.tenant.findFirst());
    expect(stillThere?.reservedBytes).toBe(100);
    await collectBlobs(deps, { now: after(24.1) });
    const given = await deps.db.asTenant(place.tenantId, (tx) => tx.query.tenant.findFirst());
    expect(given?.reservedBytes).toBe(0);
    // An uploader that comes back with it after a day removes its own bytes.
    expect(await abandonUpload(deps.db, left)).toBe(true);
  });

  it('are those of variants that were stored and never recorded, which are swept after a day [W9]', async () => {
    const deps = use();
    const { tenantId } = await createPlace(deps.db);
    const key = createBlobKey(tenantId, randomBytes(16));
    await reserveVariant(deps.projector, { tenantId, id: randomUUID(), key, storeId: deps.blobs.id });
    await deps.blobs.put(key, Readable.from([randomBytes(7)]));
    const seen: boolean[] = [];
    for (const hours of [0, 23, 25, 50, 55]) {
      await collectBlobs(deps, { now: after(hours) });
      seen.push(await isStored(deps.blobs, key));
    }
    expect(seen).toEqual([true, true, true, true, false]);
  });

  it('are the copies that de-duplication left [BX-07 W12]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const bytes = randomBytes(40);
    const [first, second] = [await upload(deps, place, bytes), await upload(deps, place, bytes)];
    for (const hours of [25, 30]) await collectBlobs(deps, { now: after(hours) });
    expect(await isStored(deps.blobs, second.written.key)).toBe(false);
    expect(await isStored(deps.blobs, first.key)).toBe(true);
  });

  it('are variants whose source is gone, with their rows [W9]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const bytes = randomBytes(30);
    const stored = await upload(deps, place, bytes);
    const variant = await addVariant(deps, place, bytes);
    await remove(deps.db, place, stored.attachmentId);
    const { orphanVariants } = await collectBlobs(deps);
    expect(orphanVariants).toBeGreaterThanOrEqual(1);
    for (const hours of [25, 30]) await collectBlobs(deps, { now: after(hours) });
    expect(await isStored(deps.blobs, variant.key)).toBe(false);
    expect(await deps.db.asTenant(place.tenantId, (tx) => tx.query.variant.findMany())).toEqual([]);
    await expectTrueUsage(deps.db, place);
  });
}

function describeReferences({ use }: UpkeepSuite): void {
  const passes = async (hours: readonly number[]) => {
    for (const hour of hours) await collectBlobs(use(), { now: after(hour) });
  };

  it('stay, with their variants [W12]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const bytes = randomBytes(30);
    const stored = await upload(deps, place, bytes);
    const variant = await addVariant(deps, place, bytes);
    await passes([0, 25, 30, 60]);
    expect([await isStored(deps.blobs, stored.key), await isStored(deps.blobs, variant.key)]).toEqual([true, true]);
  });

  it('are revived by an upload of the same bytes, also after a pass confirmed them, with their variants [W12]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const bytes = randomBytes(30);
    const stored = await upload(deps, place, bytes);
    const variant = await addVariant(deps, place, bytes);
    await remove(deps.db, place, stored.attachmentId);
    await passes([0, 25]);
    const again = await upload(deps, place, bytes);
    expect(again.key).toBe(stored.key);
    await passes([30, 60]);
    expect([await isStored(deps.blobs, stored.key), await isStored(deps.blobs, variant.key)]).toEqual([true, true]);
    await expectTrueUsage(deps.db, place);
  });

  it('stay while a delivery that can still happen names them, although the attachment is deleted [W12 DL-89 DL-90]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const stored = await upload(deps, place, randomBytes(30));
    const { deliveryId } = await createDelivery(deps.db, place, [stored.attachmentId]);
    await remove(deps.db, place, stored.attachmentId);
    await passes([0, 25, 30, 60]);
    expect(await isStored(deps.blobs, stored.key)).toBe(true);
    const row = await deps.db.readAsTenant(place.tenantId, (tx) => findDelivery(tx, deliveryId));
    if (row) await takeFact(deps.db, row, { kind: 'agent-gone' });
    await passes([0, 25, 30]);
    expect(await isStored(deps.blobs, stored.key)).toBe(false);
  });

  it('stay, with their variants, for the week in which a delivery that failed may be retried [DL-90]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const bytes = randomBytes(30);
    const stored = await upload(deps, place, bytes);
    const variant = await addVariant(deps, place, bytes);
    const { deliveryId } = await createDelivery(deps.db, place, [stored.attachmentId]);
    await remove(deps.db, place, stored.attachmentId);
    const row = await deps.db.readAsTenant(place.tenantId, (tx) => findDelivery(tx, deliveryId));
    const failure: Failure = {
      ...{ code: 'delivery_stalled', severity: 'error', retryable: true },
      ...{ userMessage: 'The agent takes nothing. Try again.', diagnostic: 'planted' },
    };
    if (row) await takeFact(deps.db, row, { kind: 'plan-failed', failure });
    const areStored = async () => [await isStored(deps.blobs, stored.key), await isStored(deps.blobs, variant.key)];
    await passes([0, 25, 30, 6 * 24]);
    expect(await areStored()).toEqual([true, true]);
    await passes([8 * 24, 9 * 24 + 1, 9 * 24 + 6]);
    expect(await areStored()).toEqual([false, false]);
  });

  it('stay under a legal hold of the tenant', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const stored = await upload(deps, place, randomBytes(30));
    await remove(deps.db, place, stored.attachmentId);
    const hold = (legalHold: boolean) =>
      deps.db.asTenant(place.tenantId, async (tx) => {
        await tx.execute(`update tenant set legal_hold = ${legalHold}`);
      });
    await hold(true);
    await passes([0, 25, 30, 60]);
    expect(await isStored(deps.blobs, stored.key)).toBe(true);
    await expectTrueUsage(deps.db, place);
  });
}

function describePasses({ use }: UpkeepSuite): void {
  it('that is a dry run counts and changes nothing [DL-89]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const stored = await upload(deps, place, randomBytes(30));
    await remove(deps.db, place, stored.attachmentId);
    const readRows = () => deps.db.asTenant(place.tenantId, (tx) => tx.query.blob.findMany());
    const before = await readRows();
    const tried = await collectBlobs(deps, { isDryRun: true, now: after(25) });
    expect(tried.confirmed).toBeGreaterThanOrEqual(1);
    expect(await readRows()).toEqual(before);
    await collectBlobs(deps, { now: after(25) });
    const last = await collectBlobs(deps, { isDryRun: true, now: after(30) });
    expect(last.deleted).toBeGreaterThanOrEqual(1);
    expect(await isStored(deps.blobs, stored.key)).toBe(true);
  });

  it('that ended between its decision and the bytes is finished by the next [W12]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const stored = await upload(deps, place, randomBytes(30));
    await remove(deps.db, place, stored.attachmentId);
    await collectBlobs(deps, { now: after(25) });
    const down = new Fault('STORAGE_UNAVAILABLE', 'The store does not answer.', { retryable: true });
    const failing: typeof deps.blobs = {
      ...deps.blobs,
      delete: (key) => (key === stored.key ? Promise.reject(down) : deps.blobs.delete(key)),
    };
    const ended = await collectBlobs({ ...deps, blobs: failing }, { now: after(30) }).catch((error: unknown) => error);
    expect(isFault(ended, 'STORAGE_UNAVAILABLE')).toBe(true);
    // Gone for everyone already: the same bytes are stored again.
    const row = await deps.db.asTenant(place.tenantId, (tx) => tx.query.blob.findFirst());
    expect(row).toMatchObject({ state: 'deleted', deletedAt: null });
    await collectBlobs(deps, { now: after(30) });
    expect(await isStored(deps.blobs, stored.key)).toBe(false);
    const closed = await deps.db.asTenant(place.tenantId, (tx) => tx.query.blob.findFirst());
    expect(closed?.deletedAt).toBeInstanceOf(Date);
  });

  it('that has found blobs tests them again when it moves them: what is used again by then stays [W12]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const [lost, back] = [randomBytes(30), randomBytes(30)];
    const stored = [await upload(deps, place, lost), await upload(deps, place, back)];
    // Only a test of its references can show that a variant is used again.
    const variant = await addVariant(deps, place, back);
    for (const { attachmentId } of stored) await remove(deps.db, place, attachmentId);
    await collectBlobs(deps);
    await collectBlobs(deps, { now: after(25) });
    const [now, old] = [after(30).toISOString(), after(29).toISOString()];
    const times = { now, reservedBefore: old, condemnedBefore: old, confirmedBefore: old, retryableSince: old };
    const page = { tenantId: place.tenantId, ...times };
    const { due, isLastPage } = await findCollectableBlobs(deps.db, { ...page, limit: 10 });
    expect({ due: due.length, isLastPage }).toEqual({ due: 3, isLastPage: true });
    await upload(deps, place, back);
    expect(await collectBlobRows(deps.db, { ...page, blobIds: due, isDryRun: false })).toMatchObject({
      doomed: 1,
      revived: 1,
    });
    await collectBlobs(deps, { now: after(31) });
    const keys = [...stored, variant].map(({ key }) => isStored(deps.blobs, key));
    expect(await Promise.all(keys)).toEqual([false, true, true]);
    await expectTrueUsage(deps.db, place);
  });

  it('never deletes what is used, however uploads of the same bytes, deletions and passes without any age run together [W12]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const contents = Array.from({ length: 5 }, () => randomBytes(64));
    const kept: Uploaded[] = [];
    let isOver = false;
    let deleted = 0;
    const pass = async () => {
      const collected = await collectBlobs(deps, { condemnedForMs: 0, betweenPassesMs: 0 });
      deleted += collected.deleted;
    };
    const collect = async () => {
      while (!isOver) await pass();
    };
    const collecting = [collect(), collect()];
    const uses = Array.from({ length: USES }, async (_, index) => {
      const stored = await upload(deps, place, contents[index % contents.length] ?? randomBytes(1));
      if (index % 3 === 0) kept.push(stored);
      else await remove(deps.db, place, stored.attachmentId);
    });
    await Promise.all(uses);
    isOver = true;
    await Promise.all(collecting);
    for (let round = 0; round < 3; round += 1) await pass();
    for (const { attachmentId } of kept) {
      const found = await deps.db.asTenant(place.tenantId, (tx) =>
        tx.query.attachment.findFirst({ where: (table, { eq }) => eq(table.id, attachmentId) }),
      );
      const used = await deps.db.asTenant(place.tenantId, (tx) =>
        tx.query.blob.findFirst({ where: (table, { eq }) => eq(table.id, found?.blobId ?? '') }),
      );
      expect({ state: used?.state, isStored: await isStored(deps.blobs, used?.key ?? '') }).toEqual({
        ...{ state: 'live', isStored: true },
      });
    }
    expect(deleted).toBeGreaterThan(USES / 2);
    await expectTrueUsage(deps.db, place);
  });
}
