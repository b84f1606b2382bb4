import type { BlobStore } from '@attache/blob-store';
import type { Database } from '@attache/database';
import type { Logger } from '@attache/telemetry';

/** The result of one pass, real or dry. */
export type CollectedBlobs = {
  /** Left-behind reservations, and live blobs that nothing uses any more. */
  condemned: number;
  /** Condemned blobs that something uses again. */
  revived: number;
  /** Condemned long enough; the next pass may delete them. */
  confirmed: number;
  /** Blobs whose bytes are gone. */
  deleted: number;
  /** Those of the condemned that are variants of files that are gone. */
  orphanVariants: number;
  /** Size of the deleted. */
  bytes: number;
};

export type CollectDeps = { db: Database; blobs: BlobStore; log: Logger };
