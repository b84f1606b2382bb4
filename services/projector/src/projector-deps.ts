import type { BlobStore } from '@attache/blob-store';
import type { Database } from '@attache/database';
import type { EventBus } from '@attache/event-bus';
import type { MediaPool } from '@attache/media';
import type { Logger } from '@attache/telemetry';

/** The dependencies of the projector. */
export type ProjectorDeps = {
  db: Database;
  blobs: BlobStore;
  bus: EventBus;
  media: MediaPool;
  log: Logger;
  /** A folder of its own for files in work; emptied at start. */
  workFolder: string;
  /** A tenant has three times as many messages in hand at most, all tenants together four times. */
  concurrency: number;
};
