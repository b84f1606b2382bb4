import { hash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createBlobKey } from '@attache/blob-store';
import { createFileBlobStore } from '@attache/blob-store/file';
import { type Database, readStoredAttachments, recordUpload, reserveUpload } from '@attache/database';
import { copyPgliteFolder, newRecord, newReservation, type Place } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { createLocalDoorbells, type EventBus } from '@attache/event-bus';
import { createOutboxEventBus } from '@attache/event-bus/outbox';
import type { MediaPool } from '@attache/media';
import { createLogger } from '@attache/telemetry';
import { onTestFinished } from 'vitest';
import { type RunningProjector, startProjector } from '../projector.ts';

const log = createLogger({ service: 'test', level: 'silent' });

/** An embedded database in a folder of its own. */
export type Embedded = { db: Database; openBus(): EventBus; close(): Promise<void> };

export async function openEmbedded(): Promise<Embedded> {
  const doorbells = createLocalDoorbells();
  const folder = await copyPgliteFolder();
  const db = await connectPglite({ folder, onCommitted: (rungNames) => doorbells.ring(rungNames) });
  return {
    db,
    openBus: () => createOutboxEventBus({ db, doorbells, log }),
    async close() {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A store and a work folder of a test, on which projectors are started, one after the other. */
export type Files = {
  workFolder: string;
  /** Starts a projector that takes one message at a time, and stops it at the end of the test at the latest. */
  start(media: MediaPool): Promise<RunningProjector>;
  /** Records an upload with its bytes; answers its id. */
  upload(place: Place, content: Uint8Array): Promise<string>;
};

export async function openFiles({ db, bus }: { db: Database; bus: EventBus }): Promise<Files> {
  const root = join(tmpdir(), `projector-${process.pid}-${randomBytes(4).toString('hex')}`);
  const workFolder = join(root, 'work');
  const blobs = await createFileBlobStore({ root: join(root, 'blobs') });
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return {
    workFolder,
    async start(media) {
      const projector = await startProjector({ db, blobs, bus, log, concurrency: 1, workFolder, media });
      onTestFinished(() => projector.stop());
      return projector;
    },
    async upload(place, content) {
      const key = createBlobKey(place.tenantId, randomBytes(16));
      const reservation = newReservation(place, { key, storeId: blobs.id });
      await reserveUpload(db, reservation);
      await blobs.put(key, Readable.from([content]));
      const record = newRecord(reservation, { sha256: hash('sha256', content), sizeBytes: content.length });
      await recordUpload(db, record);
      return record.attachmentId;
    },
  };
}

export async function readStatus(db: Database, { tenantId }: Place, id: string): Promise<string | undefined> {
  const [stored] = await readStoredAttachments(db, tenantId, [id]);
  return stored?.attachment.status;
}
