import { hash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BlobKey, createBlobKey } from '@attache/blob-store';
import { createFileBlobStore } from '@attache/blob-store/file';
import type { BusMessage, SessionEvent, Subject } from '@attache/contracts';
import { readStoredAttachments, recordUpload, reserveUpload, type StoredAttachment } from '@attache/database';
import {
  createPlace,
  newRecord,
  newReservation,
  openSpecDatabase,
  type Place,
  type SpecDatabase,
} from '@attache/database/contract';
import { createLocalDoorbells } from '@attache/event-bus';
import { createOutboxEventBus } from '@attache/event-bus/outbox';
import { createMediaPool } from '@attache/media';
import { createLogger } from '@attache/telemetry';
import { inject } from 'vitest';
import type { ProjectorDeps } from '../projector-deps.ts';
import { createPreviews, type Previews } from '../variants/previews.ts';

// The embedded ports and a media worker, shared by all specs of a worker process. Each fixture is a tenant of its own.

/** A PNG of 40 × 30 pixels. */
export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR4nO3NMQEAMAzAoNR15c/Cvj5ggKrZA12kYrFYLBaLxWKx' +
    'WCz+8wBi5JX8zZVMnQAAAABJRU5ErkJggg==',
  'base64',
);

type SpecDeps = ProjectorDeps & { previews: Previews };

type Embedded = SpecDatabase & { deps: SpecDeps };

let embedded: Promise<Embedded> | undefined;

async function openEmbedded(): Promise<Embedded> {
  const specFolder = inject('specFolder');
  const root = await mkdtemp(join(specFolder, 'files-'));
  const doorbells = createLocalDoorbells();
  const database = await openSpecDatabase(specFolder);
  const { db } = database;
  const log = createLogger({ service: 'test', level: 'silent' });
  const workFolder = join(root, 'work');
  await mkdir(workFolder);
  const blobs = await createFileBlobStore({ root: join(root, 'blobs') });
  const bus = createOutboxEventBus({ db, doorbells, log });
  return {
    ...database,
    deps: {
      ...{ db, blobs, bus, log, workFolder, concurrency: 1 },
      ...{ media: createMediaPool({ workers: 1 }), previews: createPreviews() },
    },
  };
}

/** The dependencies of a use case, and its effects. */
export type Fixture = Place & {
  deps: SpecDeps;
  readEvents(): Promise<SessionEvent[]>;
  /** The subjects of the messages that were published since the last call. */
  takePublished(): string[];
};

/** A tenant with one session and one agent in it. */
export async function openFixture(): Promise<Fixture> {
  embedded ??= openEmbedded();
  const { deps, takePublished, readEvents } = await embedded;
  const place = await createPlace(deps.db);
  takePublished();
  return {
    ...place,
    deps,
    readEvents: () => readEvents(place),
    takePublished,
  };
}

/** A message as the bus brings it, each time that this is called another one. */
export function messageOf<S extends Subject>(subject: S, data: BusMessage<S>['data']): BusMessage<S> {
  return { id: randomUUID(), subject, data, attempt: 1 } as BusMessage<S>;
}

/** A recorded upload with its bytes, not inspected yet. */
export async function addFile(fixture: Fixture, bytes: Uint8Array, name: string): Promise<string> {
  const { deps, tenantId } = fixture;
  const key = createBlobKey(tenantId, randomBytes(16));
  const reservation = newReservation(fixture, { key, storeId: deps.blobs.id });
  await reserveUpload(deps.db, reservation);
  await deps.blobs.put(key, Readable.from([bytes]));
  const described = { name, sha256: hash('sha256', bytes), sizeBytes: bytes.length };
  const record = newRecord(reservation, { ...described, mimeType: 'application/octet-stream', kind: 'unsupported' });
  await recordUpload(deps.db, record);
  fixture.takePublished();
  return record.attachmentId;
}

export async function readStored({ deps, tenantId }: Fixture, attachmentId: string): Promise<StoredAttachment> {
  const [stored] = await readStoredAttachments(deps.db, tenantId, [attachmentId]);
  if (stored === undefined) throw new Error('the attachment is gone');
  return stored;
}

/** Takes the bytes of an attachment out of the store, behind its back. */
export async function loseBytes(fixture: Fixture, attachmentId: string): Promise<void> {
  const { blobKey } = await readStored(fixture, attachmentId);
  await fixture.deps.blobs.delete(blobKey as BlobKey);
}
