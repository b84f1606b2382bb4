import type { BlobStore } from '@attache/blob-store';
import type { Profiles } from '@attache/contracts';
import type { Database } from '@attache/database';
import type { Doorbells } from '@attache/event-bus';
import type { SigningKeys } from '@attache/intake';
import type { Logger } from '@attache/telemetry';

/** What ingest is made of. Every use case takes only what it needs of it. */
export type IngestDeps = {
  db: Database;
  blobs: BlobStore;
  doorbells: Doorbells;
  signingKeys: SigningKeys;
  profiles: Profiles;
  log: Logger;
  settings: IngestSettings;
};

export type IngestSettings = {
  host: string;
  /** 0 picks a free one. */
  port: number;
  basePath: string;
  maxUploadBytes: number;
  corsOrigins: readonly string[];
  /** The one source of absolute URLs; undefined: the address on which it listens. */
  publicUrl: string | undefined;
};
