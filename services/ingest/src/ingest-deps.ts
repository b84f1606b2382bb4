import type { BlobStore } from '@attache/blob-store';
import type { Profiles } from '@attache/contracts';
import type { Database } from '@attache/database';
import type { Catalog, PermissionDefault } from '@attache/domain';
import type { Doorbells, SharedCounts } from '@attache/event-bus';
import type { KeyPools, SigningKeys } from '@attache/intake';
import type { SealingKey } from '@attache/secrets/key-text';
import type { Logger } from '@attache/telemetry';
import type { RateLimits } from './caller/request-limiter.ts';
import type { IngestBounds, IngestLimits, StreamLimits } from './ingest-limits.ts';

/** The dependencies of ingest. Every use case takes only those it needs. */
export type IngestDeps = {
  db: Database;
  blobs: BlobStore;
  doorbells: Doorbells;
  signingKeys: SigningKeys;
  /** The key to which secrets of tenants are sealed; without it none is accepted. */
  sealingKey?: SealingKey | undefined;
  profiles: Profiles;
  /** The catalog of transports and models; the one of this release if undefined. */
  catalog?: Catalog | undefined;
  log: Logger;
  /** Incarnation whose lease says that this process lives; without one its idempotency keys and its reservations outlive it for a day. */
  holder?: string | undefined;
  /** Keys that are reserved in advance for uploads; made by the service's start. */
  keyPools?: KeyPools | undefined;
  /** The channel on which the processes of ingest keep one count of requests; without it each has its own. */
  sharedCounts?: SharedCounts | undefined;
  settings: IngestSettings;
  /** Whether too much waits to be published; asked for every upload and message, so it must be at hand. Never full without it. */
  backlog?: { isFull(): boolean } | undefined;
};

export type IngestSettings = {
  /** Whether agents may use their program's own tools, for profiles that do not say. */
  permissionMode: PermissionDefault;
  host: string;
  /** 0 picks a free one. */
  port: number;
  basePath: string;
  maxUploadBytes: number;
  /** The origins whose pages may call the API of every tenant; `localhost`: those of this machine. */
  corsOrigins: readonly string[] | 'localhost';
  /** The one source of absolute URLs; undefined: the address on which it listens. */
  publicUrl: string | undefined;
  /** Generous defaults without it. */
  rateLimits?: RateLimits | undefined;
  streamLimits?: StreamLimits | undefined;
  /** The parts of the files that the process may have open; those of a usual machine without it. */
  bounds?: IngestBounds | undefined;
  /** How many reads of one tenant run at a time; those of a database on a network without it. */
  readsTogether?: number | undefined;
  /** The real ones without it. */
  limits?: IngestLimits | undefined;
  /** How many proxies of ours stand before it and add to `X-Forwarded-For`; none by default, so that nobody can choose an address. */
  trustedProxies?: number | undefined;
};
