import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BlobNotFoundError, type BlobStore, createBlobKey, parseBlobKey } from '@attache/blob-store';
import { createFileBlobStore } from '@attache/blob-store/file';
import {
  type Database,
  deleteAttachment,
  findAttachment,
  recordUpload,
  recordVariant,
  reserveUpload,
  reserveVariant,
} from '@attache/database';
import { newRecord, newReservation, type Place } from '@attache/database/contract';
import { createLogger } from '@attache/telemetry';
import { expect } from 'vitest';
import type { CollectDeps } from './collected-blobs.ts';

export const HOUR_MS = 3_600_000;

/** `projector` is the database under the login that makes variants; upkeep runs under ingest's. */
export type SuiteDeps = CollectDeps & { projector: Database };

export type UpkeepSuite = { use(): SuiteDeps };

/** A blob store in a folder of its own, next to a database. */
export async function openBlobs(): Promise<{ blobs: BlobStore; remove(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'attache-upkeep-'));
  const blobs = await createFileBlobStore({ root });
  return { blobs, remove: () => rm(root, { recursive: true, force: true }) };
}

export const silentLog = createLogger({ service: 'upkeep', level: 'silent' });

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export type Uploaded = { attachmentId: string; blobId: string; key: string; written: { blobId: string; key: string } };

/** An upload as the intake makes it: reserved, stored, recorded. */
export async function upload({ db, blobs }: CollectDeps, place: Place, bytes: Uint8Array): Promise<Uploaded> {
  const key = createBlobKey(place.tenantId, randomBytes(16));
  const reservation = newReservation(place, { key, storeId: blobs.id });
  const sha256 = digestOf(bytes);
  const record = newRecord(reservation, { sizeBytes: bytes.length, sha256 });
  await reserveUpload(db, reservation);
  await blobs.put(key, Readable.from([bytes]));
  const recorded = await recordUpload(db, record);
  if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome);
  const stored = await db.asTenant(place.tenantId, (tx) => findAttachment(tx, record.attachmentId));
  return {
    ...{ attachmentId: record.attachmentId, blobId: recorded.blobId, key: stored?.blobKey ?? '' },
    written: { blobId: reservation.blobId, key },
  };
}

/** A variant of the given source, with bytes. */
export async function addVariant(
  { projector, blobs }: SuiteDeps,
  { tenantId }: Place,
  source: Uint8Array,
): Promise<{ id: string; key: string }> {
  const [id, blobId, key] = [randomUUID(), randomUUID(), createBlobKey(tenantId, randomBytes(16))];
  const bytes = randomBytes(7);
  await reserveVariant(projector, { tenantId, id: blobId, key, storeId: blobs.id });
  await blobs.put(key, Readable.from([bytes]));
  await recordVariant(projector, {
    ...{ tenantId, id, blobId, sourceSha256: digestOf(source), sha256: digestOf(bytes) },
    ...{ purpose: 'preview', recipe: 'preview/1', mimeType: 'image/webp', sizeBytes: 7 },
    ...{ width: 8, height: 8, scale: 0.5, page: null, warnings: [] },
  });
  return { id, key };
}

export const remove = (db: Database, { tenantId }: Place, attachmentId: string) =>
  db.asTenant(tenantId, (tx) => deleteAttachment(tx, attachmentId));

export async function isStored(blobs: BlobStore, key: string): Promise<boolean> {
  try {
    await blobs.head(parseBlobKey(key));
    return true;
  } catch (error) {
    if (error instanceof BlobNotFoundError) return false;
    throw error;
  }
}

/** Checks that the counts are true: used bytes are those of the live blobs, and nothing stays reserved. */
export async function expectTrueUsage(db: Database, { tenantId }: Place): Promise<void> {
  const [row, blobs] = await db.asTenant(tenantId, async (tx) => [
    await tx.query.tenant.findFirst(),
    await tx.query.blob.findMany(),
  ]);
  const live = blobs.filter(({ state }) => state === 'live');
  expect(row?.usedBytes).toBe(live.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0));
}
