import { randomUUID } from 'node:crypto';
import type { Failure } from '@attache/contracts';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { findAttachment } from '../../src/attachment/attachment-reader.ts';
import { deleteAttachment, settleInspection } from '../../src/attachment/attachment-writer.ts';
import { abandonUpload, recordUpload, reserveUpload, type UploadRecord } from '../../src/attachment/upload-writer.ts';
import type { Database } from '../../src/database.ts';
import { blob, tenant } from '../../src/schema.ts';
import {
  createAttachment,
  createPlace,
  createVariant,
  newRecord,
  newReservation,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const SIZE = 42;
const otherDigest = 'cd'.repeat(32);
const failure: Failure = {
  ...{ code: 'attachment_missing', severity: 'error', retryable: false },
  ...{ userMessage: 'The bytes are gone. Upload the file again.', diagnostic: 'no object' },
};

async function readBlob(db: Database, { tenantId }: Place, blobId: string) {
  const [row] = await db.asTenant(tenantId, (tx) => tx.select().from(blob).where(eq(blob.id, blobId)));
  return row;
}

async function readUsage(db: Database, { tenantId }: Place) {
  const [row] = await db.asTenant(tenantId, (tx) =>
    tx.select({ reserved: tenant.reservedBytes, used: tenant.usedBytes }).from(tenant),
  );
  return row;
}

/** Records one upload; answers the blob that was written, the one that is used, and the attachment's key. */
async function upload(db: Database, place: Place, given: Partial<UploadRecord> = {}, storeId = 'files') {
  const reservation = newReservation(place, { storeId });
  const record = newRecord(reservation, given);
  await reserveUpload(db, reservation);
  const recorded = await recordUpload(db, record);
  if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome);
  const stored = await db.asTenant(place.tenantId, (tx) => findAttachment(tx, record.attachmentId));
  return {
    ...{ attachmentId: record.attachmentId, written: reservation, blobKey: stored?.blobKey },
    usedBlobId: recorded.blobId,
  };
}

const remove = (db: Database, { tenantId }: Place, attachmentId: string) =>
  db.asTenant(tenantId, (tx) => deleteAttachment(tx, attachmentId));

/** The same bytes are kept once in a tenant, and never shared with another. */
export function describeDeduplication(suite: DatabaseSuite): void {
  describeSharing(suite);
  describe('counting', () => describeCounting(suite));
}

function describeSharing({ useDb }: DatabaseSuite): void {
  it('uses no bytes that the store has lost: the next upload brings them back [BX-07]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const first = await upload(db, place);
    const inspection = { status: 'rejected', mimeType: 'image/png', kind: 'image', failure } as const;
    const settled = { ...place, attachmentId: first.attachmentId, eventId: randomUUID(), inspection, events: [] };
    expect(await settleInspection(db, { ...settled, lostKey: first.blobKey ?? '' })).toBe(true);
    expect(await readUsage(db, place)).toEqual({ reserved: 0, used: 0 });
    const second = await upload(db, place);
    expect(second.usedBlobId).toBe(second.written.blobId);
    expect((await readUsage(db, place))?.used).toBe(SIZE);
  });

  it('keeps the same bytes once: a second upload uses the first one’s, and its own are deleted with that [BX-07 AT-59]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const first = await upload(db, place);
    const second = await upload(db, place, { name: 'another name.png' });
    expect(first.usedBlobId).toBe(first.written.blobId);
    expect(second).toMatchObject({ usedBlobId: first.usedBlobId, blobKey: first.written.key });
    // Its bytes are still there, and nobody can come to use them.
    const left = { state: 'deleted', sizeBytes: SIZE, sha256: null, deletedAt: null };
    expect(await readBlob(db, place, second.written.blobId)).toMatchObject(left);
    expect(await abandonUpload(db, second.written)).toBe(false);
  });

  it('shares nothing with another tenant, and answers alike [BX-07 S33]', async () => {
    const db = useDb();
    const [place, other] = [await createPlace(db), await createPlace(db)];
    const known = await upload(db, place);
    const foreign = await upload(db, other);
    expect(foreign).toMatchObject({ usedBlobId: foreign.written.blobId, blobKey: foreign.written.key });
    expect(foreign.usedBlobId).not.toBe(known.usedBlobId);
    expect(await readUsage(db, other)).toEqual({ reserved: 0, used: SIZE });
  });

  it('shares only what is the same in digest, size and store', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await upload(db, place);
    for (const given of [{ sha256: otherDigest }, { sizeBytes: SIZE + 1 }, {}] as const) {
      const stored = await upload(db, place, given, Object.keys(given).length === 0 ? 's3:bucket' : 'files');
      expect(stored.usedBlobId).toBe(stored.written.blobId);
    }
  });

  it('revives bytes that were condemned and are still there [W12]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const first = await upload(db, place);
    await remove(db, place, first.attachmentId);
    expect(await readBlob(db, place, first.usedBlobId)).toMatchObject({ state: 'condemned' });
    const second = await upload(db, place);
    expect(second.usedBlobId).toBe(first.usedBlobId);
    const revived = { state: 'live', condemnedAt: null, confirmedAt: null };
    expect(await readBlob(db, place, first.usedBlobId)).toMatchObject(revived);
  });

  it('never uses bytes that were deleted, or that never became anything [W12]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const first = await upload(db, place);
    await remove(db, place, first.attachmentId);
    await db.asTenant(place.tenantId, async (tx) => {
      await tx.execute(sql`update blob set state = 'deleted' where id = ${first.usedBlobId}::uuid`);
    });
    const abandoned = newReservation(place);
    await reserveUpload(db, abandoned);
    await abandonUpload(db, abandoned);
    const second = await upload(db, place);
    expect(second.usedBlobId).toBe(second.written.blobId);
  });
}

function describeCounting({ useDb }: DatabaseSuite): void {
  it('takes stored bytes once, however many uploads of them end at the same time [BX-07]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const uploads = await Promise.all(Array.from({ length: 20 }, () => upload(db, place)));
    expect(new Set(uploads.map(({ usedBlobId }) => usedBlobId)).size).toBe(1);
    expect(await readUsage(db, place)).toEqual({ reserved: 0, used: SIZE });
    const live = await db.asTenant(place.tenantId, (tx) => tx.select().from(blob).where(eq(blob.state, 'live')));
    expect(live).toHaveLength(1);
  });

  it('gives them back with the last attachment, and takes them again with a revival', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [first, second] = [await upload(db, place), await upload(db, place)];
    await remove(db, place, first.attachmentId);
    expect(await readUsage(db, place)).toEqual({ reserved: 0, used: SIZE });
    await remove(db, place, second.attachmentId);
    expect(await readUsage(db, place)).toEqual({ reserved: 0, used: 0 });
    await upload(db, place);
    expect(await readUsage(db, place)).toEqual({ reserved: 0, used: SIZE });
  });

  it('ends the same whoever comes first: uploads and deletions of the same bytes at once [W12]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const early = await Promise.all(Array.from({ length: 10 }, () => upload(db, place)));
    const late = await Promise.all(
      early.flatMap(({ attachmentId }) => [upload(db, place), remove(db, place, attachmentId).then(() => undefined)]),
    );
    for (const stored of late) if (stored) await remove(db, place, stored.attachmentId);
    expect(await readUsage(db, place)).toEqual({ reserved: 0, used: 0 });
  });

  it('counts a variant beside its source', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await createAttachment(db, place);
    await createVariant(db, place.tenantId, crypto.randomUUID());
    expect(await readUsage(db, place)).toEqual({ reserved: 0, used: SIZE + 7 });
  });
}
